package embed

import "time"

// Outcome is how a prompt came to its vector, or did not; its text is fit for the label of a metric.
type Outcome string

// The outcomes.
const (
	// Known: the vector was there; nothing was sent.
	Known Outcome = "known"
	// Joined: another request with the same prompt had sent it already.
	Joined Outcome = "joined"
	// Sent: the prompt was sent.
	Sent Outcome = "sent"
	// Refused: the endpoint has refused the prompt before; nothing was sent.
	Refused Outcome = "refused"
	// Skipped: the endpoint is left alone for a while; nothing was sent for this request to wait for.
	Skipped Outcome = "skipped"
)

// Observer is told what happens. Its methods are called on the request path and must not block.
type Observer interface {
	// EmbeddingCalled tells of each call's end; an empty cause is success.
	EmbeddingCalled(upstream string, cause Cause, elapsed time.Duration)
	// PromptLooked tells how each prompt that had to be embedded fared.
	PromptLooked(upstream string, outcome Outcome)
	// EndpointLeft tells that an endpoint is from now on left alone, or not any more.
	EndpointLeft(upstream string, alone bool)
}

// unobserved is the Observer of those who want none.
type unobserved struct{}

func (unobserved) EmbeddingCalled(string, Cause, time.Duration) {}
func (unobserved) PromptLooked(string, Outcome)                 {}
func (unobserved) EndpointLeft(string, bool)                    {}
