package decision

import (
	"time"

	"github.com/sluice-gateway/sluice/core/rank"
)

// Bounds of one decision: what is beyond them is counted, not kept.
const (
	// MaxOrder is how many targets of an order are kept.
	MaxOrder = 64
	// MaxAttempts is how many attempts are kept.
	MaxAttempts = 64
)

// Decision is what a node decided about one request that it served, and how that went. Times are in seconds.
type Decision struct {
	RequestID string `json:"request_id"`
	// Node decided.
	Node string `json:"node"`
	// Time is when it did, by the node's clock.
	Time time.Time `json:"time"`
	// Endpoint is the path below /v1/, such as chat/completions.
	Endpoint string `json:"endpoint"`
	// Model is the model or routing that the caller asked for.
	Model string `json:"model"`
	// Caller is the id of the caller's API key.
	Caller string `json:"caller"`
	// Revision is the configuration that was served.
	Revision int64 `json:"revision"`
	Stream   bool  `json:"stream"`
	Plan
	// Attempts are what was tried, in order; MoreAttempts is how many further ones there were.
	Attempts     []Attempt `json:"attempts"`
	MoreAttempts int       `json:"more_attempts,omitempty"`
	// Outcome is "ok", "client_gone", "refused", "panic" or the slug of the last fault; empty while the request is under way.
	Outcome string `json:"outcome,omitempty"`
	// Status is the one that the client was sent; 499 when it had left.
	Status int `json:"status,omitempty"`
	// Elapsed is the time from the decision to the end of the answer.
	Elapsed float64 `json:"elapsed_s,omitempty"`
}

// Plan is what a request tries in which order, and why.
type Plan struct {
	// Order is what is tried, first to last, as far as retries, max_fallbacks and the deadline allow; MoreTargets is how
	// many further targets there are.
	Order       []Step `json:"order"`
	MoreTargets int    `json:"more_targets,omitempty"`
	// Refused says why there is no order.
	Refused *Refusal `json:"refused,omitempty"`
	// Ranking says why the order is as it is. The order differs from it where targets cool: they come after the others.
	// Absent: it was not kept.
	Ranking *rank.Trace `json:"ranking,omitempty"`
}

// Step is one target of an order.
type Step struct {
	Target string `json:"target"`
	// Probe: the target stands here for a sample. HalfOpen: its cooldown is over, and one request may find out.
	Probe    bool `json:"probe,omitempty"`
	HalfOpen bool `json:"half_open,omitempty"`
	// Cooling is for how long the target was still set aside.
	Cooling float64 `json:"cooling_s,omitempty"`
}

// Refusal is why nothing was tried.
type Refusal struct {
	// Reason is a slug: refused (no target serves such a request), cooling (every target is set aside), embedding_failed (the
	// prompt could not be compared, and the routing serves no other), or what ended the request meanwhile: deadline,
	// client_gone or shutdown.
	Reason string `json:"reason"`
	// Status and Message are what the caller was told; 0 and empty: it had left.
	Status  int    `json:"status"`
	Message string `json:"message"`
}

// Attempt is one request to one target.
type Attempt struct {
	Target string `json:"target"`
	// Outcome is "ok", "client_gone", "refused", the slug of a fault, or "untranslatable": nothing was sent, since the
	// target's dialect cannot say the request.
	Outcome string `json:"outcome"`
	// Status is the upstream's; absent: it gave none.
	Status  int     `json:"status,omitempty"`
	Elapsed float64 `json:"elapsed_s"`
	// FirstToken is the time to the first event with content; only for streams that got as far.
	FirstToken float64 `json:"first_token_s,omitempty"`
	// Cooled: the attempt set the target aside.
	Cooled bool `json:"cooled,omitempty"`
}

// Explanation is what a node would decide about a request. Nothing was tried.
type Explanation struct {
	Node     string `json:"node"`
	Model    string `json:"model"`
	Revision int64  `json:"revision"`
	Stream   bool   `json:"stream"`
	Plan
}
