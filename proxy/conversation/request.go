package conversation

// Request asks a model to go on with a conversation.
type Request struct {
	// Model is the name that the caller gave. Who encodes the request for a target puts the target's in.
	Model string
	// System is what the model is told before the conversation, text parts only, in order. Instructions that stand
	// between turns (OpenAI's developer and system messages) are here too, in their order: not every dialect has a place
	// for them elsewhere.
	System   []Part
	Messages []Message
	Tools    []Tool
	// ToolChoice says whether the model is to call a tool.
	ToolChoice ToolChoice
	// OneTool: the model is to call one tool at most in its answer.
	OneTool bool

	// MaxTokens bounds the answer; 0: the request does not.
	MaxTokens int64
	// Stop are texts at which the answer ends.
	Stop []string
	// Sampling settings; nil: the model's own.
	Temperature, TopP                 *float64
	TopK                              *int64
	FrequencyPenalty, PresencePenalty *float64
	Seed                              *int64

	Format    Format
	Reasoning Reasoning
	// User is an opaque id of the end user, for abuse detection; empty: none.
	User string

	// Stream: the answer is to come as events. StreamUsage: token counts are to come in them.
	Stream, StreamUsage bool

	// Names are those of the caller's dialect; the decoder sets them.
	Names *Names
	// Functions: the caller knows only the older form of its dialect, in which the model calls one function and calls have
	// no ids (OpenAI's functions and function_call). Its answers are written in that form.
	Functions bool
}

// Size guesses how many bytes the request becomes in a dialect, from below for texts with many escapes: room for an
// encoder.
func (r *Request) Size() int {
	const some, member = 512, 128 // bytes of the rest of the body, and around each part
	n := some
	for i := range r.System {
		n += len(r.System[i].Text) + member
	}
	for i := range r.Messages {
		for j := range r.Messages[i].Parts {
			n += r.Messages[i].Parts[j].size() + member
		}
	}
	for i := range r.Tools {
		n += len(r.Tools[i].Schema) + len(r.Tools[i].Description) + member
	}
	return n + n/16
}

// Role says who speaks.
type Role uint8

// The roles. The results of tools are parts of the user's turns.
const (
	User Role = iota
	Assistant
)

// Message is one turn. Turns of one role may follow each other; encoders join them where their dialect wants turns to
// alternate.
type Message struct {
	Role  Role
	Parts []Part
	// At is the turn's place among the turns of the caller's body, for Names.
	At int
}

// Tool is a function that the model may call.
type Tool struct {
	Name, Description string
	// Schema is the JSON Schema of the arguments; empty: none, and there are no arguments.
	Schema []byte
	// Strict: the arguments must follow the schema exactly.
	Strict bool
	// Cached: the dialect's mark that a prompt cache may end behind this tool.
	Cached bool
}

// ToolChoice says whether the model is to call a tool.
type ToolChoice struct {
	Mode ToolMode
	Name string // of the tool, for ToolNamed
}

// ToolMode is how free the model is to call tools.
type ToolMode uint8

// The modes.
const (
	// ToolAuto lets the model choose. It is what holds where nothing is said.
	ToolAuto ToolMode = iota
	// ToolNone: it must call none.
	ToolNone
	// ToolAny: it must call one, whichever.
	ToolAny
	// ToolNamed: it must call that one.
	ToolNamed
)

// Format is the form that the answer must have.
type Format struct {
	Kind FormatKind
	// Name, Description, Schema and Strict are of FormatSchema; Schema is JSON.
	Name, Description string
	Schema            []byte
	Strict            bool
}

// FormatKind is a kind of form.
type FormatKind uint8

// The kinds.
const (
	// FormatText is any text.
	FormatText FormatKind = iota
	// FormatObject is any JSON object.
	FormatObject
	// FormatSchema is JSON that follows a schema.
	FormatSchema
)

// Reasoning says how much the model is to think before it answers.
type Reasoning struct {
	// Set: the request says something about it.
	Set bool
	// Effort is the level: "none", "minimal", "low", "medium", "high", "xhigh" or "max"; empty: Budget says it, or, without
	// one, the model chooses.
	Effort string
	// Budget is the most tokens to think with; 0: not said.
	Budget int64
	// Show: the caller asks to be told what was thought, in a dialect that tells it only then (OpenAI's responses).
	Show bool
}

// Level says how much to think as OpenAI's dialects do: a level, which a budget of tokens is rounded to. Empty: the
// model's own.
func (r Reasoning) Level() string {
	switch {
	case r.Effort == "max":
		return "xhigh"
	case r.Effort != "" || r.Budget == 0:
		return r.Effort
	case r.Budget < 4096:
		return "low"
	case r.Budget < 16384:
		return "medium"
	}
	return "high"
}

// ToolName reports whether a name is one that every vendor takes: letters, digits, _ and -, of that length at most.
func ToolName(name string, longest int) bool {
	for i := range len(name) {
		if !plain(name[i]) {
			return false
		}
	}
	return name != "" && len(name) <= longest
}

// plain tells the characters that the vendors take in the names of tools and the ids of calls.
func plain(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}
