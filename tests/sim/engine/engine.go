package engine

import "time"

// Engine holds the clock and what is still to happen.
type Engine struct {
	now    time.Duration // since Epoch
	order  uint64        // breaks ties: first scheduled, first run
	events []event
}

type event struct {
	at    time.Duration
	order uint64
	run   func()
}

// epoch is the moment at which every simulation starts. That it is no round number of probe slots or minutes is
// as good as any.
var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// Wall returns the moment that a clock without error shows at that time since the start.
func Wall(at time.Duration) time.Time { return epoch.Add(at) }

// Now returns the time since the start.
func (e *Engine) Now() time.Duration { return e.now }

// At schedules run; a time that has passed means now.
func (e *Engine) At(at time.Duration, run func()) {
	e.order++
	e.events = append(e.events, event{max(at, e.now), e.order, run})
	e.up(len(e.events) - 1)
}

// After schedules run d from now.
func (e *Engine) After(d time.Duration, run func()) { e.At(e.now+d, run) }

// Run runs what is to happen up to and including end, and sets the clock to end.
func (e *Engine) Run(end time.Duration) {
	for len(e.events) > 0 && e.events[0].at <= end {
		e.step()
	}
	e.now = max(e.now, end)
}

// RunWhile runs events as long as more returns true, and reports false when they ran out or the clock
// reached limit before that.
func (e *Engine) RunWhile(more func() bool, limit time.Duration) bool {
	for more() {
		if len(e.events) == 0 || e.events[0].at > limit {
			return false
		}
		e.step()
	}
	return true
}

func (e *Engine) step() {
	next := e.pop()
	e.now = next.at
	next.run()
}

func (a event) before(b event) bool {
	return a.at < b.at || (a.at == b.at && a.order < b.order)
}

func (e *Engine) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if !e.events[i].before(e.events[parent]) {
			return
		}
		e.events[i], e.events[parent] = e.events[parent], e.events[i]
		i = parent
	}
}

func (e *Engine) pop() event {
	first, last := e.events[0], len(e.events)-1
	e.events[0] = e.events[last]
	e.events[last] = event{}
	e.events = e.events[:last]
	e.down(0)
	return first
}

func (e *Engine) down(i int) {
	for {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(e.events); child++ {
			if e.events[child].before(e.events[least]) {
				least = child
			}
		}
		if least == i {
			return
		}
		e.events[i], e.events[least] = e.events[least], e.events[i]
		i = least
	}
}
