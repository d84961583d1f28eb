package ledger

import (
	"slices"
	"sync"
	"time"

	"github.com/sluice-gateway/sluice/tests/soak/truth"
)

// Grace is how long after its end a request may still show effects at the upstreams before it is judged.
const Grace = 5 * time.Second

// Ledger holds the requests under way and the verdicts on those that have ended.
type Ledger struct {
	limits Limits

	mu     sync.Mutex
	open   map[string]*Entry
	ended  []*Entry // in the order of their ends
	totals Totals
}

// New returns an empty ledger.
func New(l Limits) *Ledger {
	return &Ledger{limits: l, open: map[string]*Entry{}, totals: newTotals()}
}

// Open writes a request down before it is sent.
func (l *Ledger) Open(q truth.Question, r Route) *Entry {
	e := &Entry{Question: q, Route: r}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open[q.ID] = e
	return e
}

// Hit writes down that a request reached an upstream, numbers the hit, and returns the request's entry; nil
// when no client has sent it, or when its end was so long ago that nothing may come of it any more.
func (l *Ledger) Hit(id string, h *Hit) *Entry {
	l.mu.Lock()
	e := l.open[id]
	if e == nil {
		l.totals.violate("a request that nobody sent", nil, "upstream "+h.Upstream+" got "+id)
	}
	l.mu.Unlock()
	if e != nil {
		e.hit(h)
	}
	return e
}

// Close writes down how a request ended.
func (l *Ledger) Close(e *Entry, o Outcome) {
	e.Change(func() { e.outcome = o })
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = append(l.ended, e)
}

// Judge judges what ended at least Grace before now, and forgets it. Zero judges everything that has ended.
func (l *Ledger) Judge(now time.Time) {
	for _, e := range l.due(now) {
		e.mu.Lock()
		c := judge(e, l.limits)
		l.mu.Lock()
		l.totals.add(e, c)
		delete(l.open, e.Question.ID)
		l.mu.Unlock()
		e.mu.Unlock()
	}
}

func (l *Ledger) due(now time.Time) []*Entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(l.ended)
	if !now.IsZero() {
		n = slices.IndexFunc(l.ended, func(e *Entry) bool { return now.Sub(e.outcome.Ended) < Grace })
		if n < 0 {
			n = len(l.ended)
		}
	}
	due := slices.Clone(l.ended[:n])
	l.ended = slices.Delete(l.ended, 0, n)
	return due
}

// Totals returns the sums. They are to be read only once nothing happens any more.
func (l *Ledger) Totals() *Totals { return &l.totals }

// Progress returns how many requests have been judged, how many hits they had, and how many rules were broken.
func (l *Ledger) Progress() (requests, hits, broken int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.totals.Requests, l.totals.Hits, l.totals.Broken()
}

// Unended returns how many requests have been opened and not judged.
func (l *Ledger) Unended() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.open)
}
