package calibrate

// Bounds of a calibration, which is one request.
const (
	// MaxPrompts is how many labelled prompts one calibration takes.
	MaxPrompts = 1000
	// DefaultClose is from which cosine on two examples of different targets lie too close, unless the question says.
	DefaultClose = 0.9
	// MaxPairs and MaxWrong bound the lists of a result.
	MaxPairs = 100
	MaxWrong = 100
)

// Question asks a node to calibrate a routing.
type Question struct {
	// Routing is the id of a semantic routing.
	Routing string `json:"routing,omitempty"`
	// Prompts are what is known, at most MaxPrompts.
	Prompts []Prompt `json:"prompts"`
	// Close is the cosine from which on two examples of different targets are reported. Default DefaultClose.
	Close *float64 `json:"close,omitempty"`
}

// Prompt is a text and where it belongs.
type Prompt struct {
	Text string `json:"text"`
	// Target is the model or routing among the routing's targets that should serve it.
	Target string `json:"target"`
}

// Result says how well a routing tells its targets apart.
type Result struct {
	Node    string `json:"node"`
	Routing string `json:"routing"`
	// Prompts is how many were compared; those without text go to the fallback, as they would in a request.
	Prompts int `json:"prompts"`
	// Accuracy is the share of the prompts that go where they belong with the thresholds of now, AccuracySuggested with
	// those that Targets suggests.
	Accuracy          float64 `json:"accuracy"`
	AccuracySuggested float64 `json:"accuracy_suggested"`
	// Criterion is what a suggested threshold maximises: "youden", the share of the target's own prompts that clear it less the
	// share of the others that do. Among equals it lies in the middle of the widest gap between two scores.
	Criterion string `json:"criterion"`
	// Targets are in the order of the routing.
	Targets []Target `json:"targets"`
	// Confusion has the prompts by where they belong and where they go with the thresholds of now; what is 0 is left out.
	Confusion []Cell `json:"confusion"`
	// Wrong are prompts that go elsewhere than they belong, MoreWrong is how many further ones there are.
	Wrong     []Wrong `json:"wrong"`
	MoreWrong int     `json:"more_wrong,omitempty"`
	// Close is the bar of ClosePairs, the closest first; MorePairs is how many further ones there are.
	Close      float64 `json:"close"`
	ClosePairs []Pair  `json:"close_pairs"`
	MorePairs  int     `json:"more_pairs,omitempty"`
}

// Target is one target of the routing.
type Target struct {
	Target string `json:"target"`
	// Examples is how many it gives, Prompts how many belong to it.
	Examples int `json:"examples"`
	Prompts  int `json:"prompts"`
	// Fallback: what clears no bar goes here.
	Fallback bool `json:"fallback,omitempty"`
	// Threshold is that of now; absent: every score clears, or there are no examples.
	Threshold *float64 `json:"threshold,omitempty"`
	// Suggested is absent where there are no examples, no prompts of its own, or none of others.
	Suggested *float64 `json:"suggested,omitempty"`
	// Youden is what the suggestion comes to, from TruePositives, the share of its own prompts that clear it, and
	// FalsePositives, the share of the others that do.
	Youden         *float64 `json:"youden,omitempty"`
	TruePositives  *float64 `json:"true_positives,omitempty"`
	FalsePositives *float64 `json:"false_positives,omitempty"`
}

// Cell is a number of prompts that belong to one target and go to one.
type Cell struct {
	Belongs string `json:"belongs"`
	Goes    string `json:"goes"`
	Prompts int    `json:"prompts"`
}

// Wrong is a prompt that goes elsewhere than it belongs.
type Wrong struct {
	// Prompt is its index in the question.
	Prompt  int    `json:"prompt"`
	Belongs string `json:"belongs"`
	Goes    string `json:"goes"`
	// Own is its cosine with the target where it belongs, Best with the one where it goes; absent: that has no examples.
	Own  *float64 `json:"own,omitempty"`
	Best *float64 `json:"best,omitempty"`
}

// Pair is two examples of different targets.
type Pair struct {
	// A and B are JSON pointers into the routing, such as /targets/0/examples/3.
	A      string  `json:"a"`
	B      string  `json:"b"`
	Cosine float64 `json:"cosine"`
}
