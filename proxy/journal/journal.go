package journal

import (
	"math/rand/v2"
	"sync"
	"time"

	"github.com/sluice-gateway/sluice/core/decision"
	"github.com/sluice-gateway/sluice/core/rank"
)

// Default is how many decisions a node remembers unless it is told otherwise: some MiB for routings of a dozen targets.
const Default = 1000

const (
	// traceAll is up to how many targets every ranking is kept: that costs up to some four microseconds. Of larger routings it is
	// one in so many that a request pays no more on average.
	traceAll = 8
	// traceMost is from how many targets on none is kept, so that the memory has a bound that does not depend on the
	// configuration.
	traceMost = decision.MaxOrder
	// traceRoom is for traceMost targets and the routings around them.
	traceRoom = 2 * traceMost
)

// Journal is the decisions of the latest requests.
type Journal struct {
	node   string
	traces sync.Pool // of *rank.Trace

	mu    sync.Mutex
	slots []slot
	next  int
	byID  map[string]int // of the latest decision under each id
}

// slot is the place of one decision.
type slot struct {
	mu    sync.Mutex
	turn  uint64 // how many decisions the slot has had
	id    string // guarded by the journal's mutex
	began time.Time
	// told has room in its slices for the next decision. Its Ranking is nil or trace.
	told  decision.Decision
	trace *rank.Trace // nil: none yet
}

// New returns a journal of that many decisions of the node; 0 keeps none.
func New(node string, size int) *Journal {
	return &Journal{
		node: node, slots: make([]slot, size), byID: make(map[string]int, size),
		traces: sync.Pool{New: func() any { return new(rank.Trace) }},
	}
}

// Trace returns a trace for the ranking of a routing of that many targets, or nil when it is not to be kept. always is
// for a caller who wants to know. A trace goes back with Begin or Return.
func (j *Journal) Trace(leaves int, always bool) *rank.Trace {
	if !always && !j.keeps(leaves) {
		return nil
	}
	return j.traces.Get().(*rank.Trace)
}

func (j *Journal) keeps(leaves int) bool {
	switch {
	case len(j.slots) == 0 || leaves > traceMost:
		return false
	case leaves <= traceAll:
		return true
	}
	return rand.IntN((leaves+traceAll-1)/traceAll) == 0
}

// Return takes a trace back, or nil. One that has grown for a routing too large to be kept, or for many of different
// shapes, is let go of: with the next small one in it, a slot would hold all of that memory.
func (j *Journal) Return(r *rank.Trace) {
	if r == nil {
		return
	}
	if candidates, evidence := r.Room(); candidates <= 2*traceRoom && evidence <= 4*traceRoom {
		j.traces.Put(r)
	}
}

// Entry is where one request's decision is kept while that is among the latest. The zero Entry is nowhere.
type Entry struct {
	slot *slot
	turn uint64
}

// Begin remembers a decision that was made just now. d has no order and no ranking: they are those of order, which is
// copied, and of r, which Trace gave and the journal takes back; nil: it is not kept.
func (j *Journal) Begin(d *decision.Decision, order []decision.Step, r *rank.Trace, now time.Time) Entry {
	if len(j.slots) == 0 {
		j.Return(r)
		return Entry{}
	}
	s := j.take(d.RequestID)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.turn++; s.turn == 1 { // an empty list is no null
		s.told.Order, s.told.Attempts = []decision.Step{}, []decision.Attempt{}
	}
	s.began = now
	kept, attempts := s.told.Order[:0], s.told.Attempts[:0]
	s.told = *d
	s.told.Node, s.told.Time, s.told.Attempts = j.node, now, attempts
	room := min(len(order), decision.MaxOrder)
	s.told.Order, s.told.MoreTargets = append(kept, order[:room]...), len(order)-room
	if r != nil && len(r.Candidates) <= traceRoom {
		s.trace, r = r, s.trace
		s.told.Ranking = s.trace
	}
	j.Return(r)
	return Entry{s, s.turn}
}

// take makes the oldest slot that of the request.
func (j *Journal) take(id string) *slot {
	j.mu.Lock()
	defer j.mu.Unlock()
	at := j.next
	if j.next++; j.next == len(j.slots) {
		j.next = 0
	}
	s := &j.slots[at]
	if latest, known := j.byID[s.id]; known && latest == at {
		delete(j.byID, s.id)
	}
	s.id = id
	j.byID[id] = at
	return s
}

// Attempt adds an attempt.
func (e Entry) Attempt(a *decision.Attempt) {
	e.change(func(s *slot) {
		if len(s.told.Attempts) < decision.MaxAttempts {
			s.told.Attempts = append(s.told.Attempts, *a)
		} else {
			s.told.MoreAttempts++
		}
	})
}

// End says how the request ended.
func (e Entry) End(outcome string, status int, now time.Time) {
	e.change(func(s *slot) {
		s.told.Outcome, s.told.Status, s.told.Elapsed = outcome, status, now.Sub(s.began).Seconds()
	})
}

// change changes the decision, if it is still among the latest.
func (e Entry) change(change func(*slot)) {
	if e.slot == nil {
		return
	}
	e.slot.mu.Lock()
	defer e.slot.mu.Unlock()
	if e.slot.turn == e.turn {
		change(e.slot)
	}
}
