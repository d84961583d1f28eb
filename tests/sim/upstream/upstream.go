package upstream

import (
	"math"
	"time"

	"github.com/sluice-gateway/sluice/tests/sim/engine"
)

// sigma is the spread of service times: the standard deviation of their logarithm.
const sigma = 0.5

// Work is one request to an upstream, with the draws that decide how long it takes. That they come with the
// request makes the luck of a request independent of the policy under test.
type Work struct {
	// Size scales the time of service; 1 is the mean.
	Size float64
	// First is the share of the service after which the first token comes.
	First float64
	// Normal is a draw of the standard normal distribution, Fault one of [0, 1).
	Normal, Fault float64
}

// Outcome is how a request ended.
type Outcome struct {
	Failed bool
	// RetryAfter is what a 429 asked for; zero when it was none.
	RetryAfter time.Duration
}

// Upstream is one simulated server.
type Upstream struct {
	spec   *Spec
	engine *engine.Engine
	busy   int
	queue  []*Call
}

// Call is one request at an upstream.
type Call struct {
	upstream *Upstream
	work     Work
	first    func()
	done     func(Outcome)
	serving  bool
	over     bool
}

// New returns the upstream of the spec, which must outlive it.
func New(e *engine.Engine, spec *Spec) *Upstream {
	u := &Upstream{spec: spec, engine: e}
	for _, s := range spec.Steps {
		e.At(s.At, u.serve)
	}
	return u
}

// Busy returns how many requests are served or wait.
func (u *Upstream) Busy() int { return u.busy + len(u.queue) }

// Call begins a request. first is called when the first token comes and may be nil; done exactly once when the
// request ends, unless it is cancelled before.
func (u *Upstream) Call(w Work, first func(), done func(Outcome)) *Call {
	c := &Call{upstream: u, work: w, first: first, done: done}
	state := u.spec.At(u.engine.Now())
	switch {
	case w.Fault < state.Limited:
		u.engine.After(limitedAfter, func() { c.end(Outcome{Failed: true, RetryAfter: state.RetryAfter}) })
	case w.Fault < state.Limited+state.Fails:
		u.engine.After(state.FailAfter, func() { c.end(Outcome{Failed: true}) })
	default:
		u.queue = append(u.queue, c)
		u.serve()
	}
	return c
}

// limitedAfter is how long a 429 takes.
const limitedAfter = 20 * time.Millisecond

// Cancel ends the request without a word: a server is free at once, a place in the queue too.
func (c *Call) Cancel() {
	c.done = func(Outcome) {}
	c.end(Outcome{})
}

// serve starts what waits as far as servers are free.
func (u *Upstream) serve() {
	state := u.spec.At(u.engine.Now())
	for len(u.queue) > 0 && (state.Servers == 0 || u.busy < state.Servers) {
		c := u.queue[0]
		u.queue = u.queue[1:]
		if c.over {
			continue
		}
		u.busy++
		c.serving = true
		took := state.time(c.work)
		if c.first != nil {
			u.engine.After(time.Duration(float64(took)*c.work.First), c.begin)
		}
		u.engine.After(took, func() { c.end(Outcome{}) })
	}
}

// time is lognormal with the state's mean.
func (s *State) time(w Work) time.Duration {
	return time.Duration(s.Base * w.Size * math.Exp(sigma*w.Normal-sigma*sigma/2) * float64(time.Second))
}

func (c *Call) begin() {
	if !c.over {
		c.first()
	}
}

func (c *Call) end(o Outcome) {
	if c.over {
		return
	}
	c.over = true
	if c.serving {
		c.upstream.busy--
		c.upstream.serve()
	}
	c.done(o)
}
