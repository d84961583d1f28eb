package dispatch

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/rank"
	"github.com/sluice-gateway/sluice/core/signal"
	"github.com/sluice-gateway/sluice/proxy/budget"
	"github.com/sluice-gateway/sluice/proxy/cooldown"
	"github.com/sluice-gateway/sluice/proxy/embed"
	"github.com/sluice-gateway/sluice/proxy/endpoint"
	"github.com/sluice-gateway/sluice/proxy/envelope"
	"github.com/sluice-gateway/sluice/proxy/journal"
)

// Config is what a Dispatcher works with.
type Config struct {
	Board     *signal.Board
	Ranker    *rank.Ranker
	Cooldowns *cooldown.Table
	// Transport returns the connection pool of an upstream.
	Transport func(*core.Upstream) http.RoundTripper
	// Examples compares prompts with the examples of semantic routings.
	Examples *embed.Examples
	// Lag returns by how much at most this node hears late of what others have in flight.
	Lag func() time.Duration
	// Owner reports whether this node holds the fleet's probe slot for a target.
	Owner func(k signal.Key, now time.Time) bool
	// Cooled is called when a target was set aside: news that the fleet should hear at once.
	Cooled   func()
	Observer Observer
	// Journal remembers what was decided; nil: nothing does.
	Journal *journal.Journal
	Logger  *slog.Logger
	// UserAgent is what upstreams see, such as "sluice/1.0".
	UserAgent string
	// Budget bounds what is held of whole answers, together with whatever else takes from it.
	Budget *budget.Budget
	// FailedStatus is answered instead of 502 and 504, for CDNs that replace the bodies of those; 0: as they are.
	FailedStatus int
	// MaxAnswer bounds a whole answer and MaxEvent one event of a stream, in bytes.
	MaxAnswer, MaxEvent int
}

// Observer is told of every attempt, on the request's goroutine or on the one that relays its stream.
type Observer interface {
	Attempt(a Attempt)
}

// Attempt says how one attempt ended.
type Attempt struct {
	Target *core.Target
	// Outcome is "ok", "client_gone", "refused" (the upstream found fault with the request) or the slug of a fault.
	Outcome string
	Elapsed time.Duration
	// FirstToken is zero unless a stream got as far.
	FirstToken time.Duration
	Usage      Usage
}

// Usage is the token count of an answer as its upstream reported it; zero when it did not.
type Usage struct{ Prompt, Completion int64 }

// Call is one request of a caller, read, authenticated and resolved.
type Call struct {
	Endpoint *endpoint.Endpoint
	Envelope *envelope.Envelope
	Group    *core.Group
	// Examples are those of the snapshot that the group is of.
	Examples  embed.Collections
	Revision  int64
	RequestID string
	// Caller is the id of the caller's API key.
	Caller string
	// Explain: the caller is told what was decided, in a header of the answer.
	Explain bool
	// InputTokens is the size of the request, for prices and context windows; 0: it is estimated from the envelope.
	InputTokens int
}

// Result says how a request ended, for the log and the metrics.
type Result struct {
	Status   int    // as sent to the client; 499 when it left before one was sent
	Outcome  string // "ok", "client_gone", "refused", or the slug of the last fault
	Target   string // id of the model that answered or failed last
	Attempts int
}

// Dispatcher walks targets.
type Dispatcher struct {
	Config
	sessions  *sessions
	lengths   lengths
	densities densities
	evidence  evidence
}

// New returns a Dispatcher.
func New(cfg Config) *Dispatcher {
	if cfg.Journal == nil {
		cfg.Journal = journal.New("", 0)
	}
	return &Dispatcher{cfg, newSessions(), newLengths(), newDensities(), newEvidence(cfg.Board)}
}
