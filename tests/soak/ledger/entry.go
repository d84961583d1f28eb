package ledger

import (
	"sync"
	"time"

	"github.com/sluice-gateway/sluice/tests/soak/fault"
	"github.com/sluice-gateway/sluice/tests/soak/truth"
)

// Route is what a client may ask for, as far as the judge has to know it.
type Route struct {
	Model string
	// Retries and MaxFallbacks bound the attempts; a MaxFallbacks below 0 is as many as Targets allow.
	Retries, MaxFallbacks, Targets int
	RetryOn429                     bool
	// FallsOver400 lists 400 among the statuses that go to the next target.
	FallsOver400 bool
	// Dead routes have a target where nothing listens: its attempts are seen by nobody.
	Dead bool
	// Fails routes answer 503 while every target cools.
	Fails bool
	// Deadline bounds the whole request; 0: none that matters.
	Deadline time.Duration
}

// most is how many upstream requests one client request may cause.
func (r Route) most() int {
	if r.MaxFallbacks < 0 {
		return (1 + r.Retries) * r.Targets
	}
	return (1 + r.Retries) * (1 + r.MaxFallbacks)
}

// Hit is one request that reached an upstream.
type Hit struct {
	// Number counts the hits of one client request, from 1.
	Number   int
	Upstream string
	// Target is the model that the upstream was asked for.
	Target string
	Kind   fault.Kind
	// Reused tells that the connection had brought a request before.
	Reused       bool
	Began, Ended time.Time
	// Gone tells that the proxy hung up before the upstream had said everything.
	Gone bool
	// Complaint says what was wrong with the request; empty: nothing.
	Complaint string
}

// Result is what a client got.
type Result int

// The results.
const (
	Nothing Result = iota // it left before anything was complete
	Whole                 // the whole answer
	Cut                   // the begin of an answer and one error event
	Refused               // one error
)

// Outcome is how a request ended for its client.
type Outcome struct {
	Result Result
	// Left tells that the client went away on purpose before the end.
	Left bool
	// Status is 0 when no head came; Attempts and Target are what the head said.
	Status, Attempts int
	Target           string
	// Answer is whose words came.
	Answer truth.Answer
	// Words is how many of them.
	Words int
	// Message is the text of the error, and RetryAfter what the head said of trying again.
	Message, RetryAfter string
	// Wrong says what no gateway may send; empty: nothing.
	Wrong        string
	Began, Ended time.Time
}

// Entry is one client request.
type Entry struct {
	Question truth.Question
	Route    Route

	mu      sync.Mutex
	hits    []*Hit
	outcome Outcome
}

// hit adds a hit and numbers it.
func (e *Entry) hit(h *Hit) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.hits = append(e.hits, h)
	h.Number = len(e.hits)
}

// Change changes a hit of the entry, which the judge may be looking at.
func (e *Entry) Change(change func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	change()
}
