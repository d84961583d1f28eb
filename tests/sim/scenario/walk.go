package scenario

import (
	"cmp"
	"slices"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/rank"
	"github.com/sluice-gateway/sluice/core/signal"
	"github.com/sluice-gateway/sluice/proxy/cooldown"
	"github.com/sluice-gateway/sluice/tests/sim/fleet"
	"github.com/sluice-gateway/sluice/tests/sim/policy"
	"github.com/sluice-gateway/sluice/tests/sim/traffic"
	"github.com/sluice-gateway/sluice/tests/sim/upstream"
)

// walk is one request on its way through the targets, as proxy/dispatch takes it: ready targets in the order of
// the ranking, then those that are set aside, soonest back first; a half-open one only as its probe.
type walk struct {
	run     *run
	node    *fleet.Node
	request *traffic.Request
	steps   []step
	next    int
	tries   int
	probe   *core.Target // whose probe slot the ranking has claimed
	call    *upstream.Call
	abandon func() // ends the attempt when the caller leaves
	over    bool
}

type step struct {
	rank.Choice
	standing cooldown.Standing
	claimed  bool
}

func (r *run) begin(q *traffic.Request) {
	n := r.fleet.Pick(q.Place)
	if n == nil { // no node serves: the caller's connection is refused
		r.log.Lost(q.At)
		return
	}
	r.open++
	n.Sync()
	w := &walk{run: r, node: n, request: q}
	w.plan()
	if q.Patience > 0 {
		r.engine.After(q.Patience, w.leave)
	}
	w.try()
}

func (w *walk) plan() {
	var room [8]rank.Choice
	now := w.node.Now()
	for _, c := range w.run.policy.Order(room[:0], w.node, w.run.group, w.request) {
		w.steps = append(w.steps, step{Choice: c, standing: w.node.Cooldowns.Standing(c.Target, now)})
		if c.Probe {
			w.probe = c.Target
		}
	}
	slices.SortStableFunc(w.steps, func(a, b step) int { return cmp.Compare(a.standing.Remaining, b.standing.Remaining) })
}

// try begins the next attempt, or ends the request when there is none.
func (w *walk) try() {
	for w.next < len(w.steps) {
		s := &w.steps[w.next]
		w.next++
		s.claimed = s.standing.HalfOpen && w.node.Cooldowns.Claim(s.Target.Signal, w.node.Now())
		if s.standing.HalfOpen && !s.claimed && (w.tries > 0 || w.next < len(w.steps)) {
			continue
		}
		w.attempt(s)
		return
	}
	w.run.log.Answer(w.request.At, w.run.engine.Now()-w.request.At, true)
	w.close()
}

// attempt asks the step's target.
func (w *walk) attempt(s *step) {
	r, n, t := w.run, w.node, s.Target
	load := n.Board.Begin(t.Signal)
	r.policy.Begin(n, t)
	r.log.Attempt(r.engine.Now(), policy.Index(t))
	a := &attempt{walk: w, step: s, began: n.Now(), load: load}
	n.Board.Await(&a.wait, t.Signal, w.request.Class, n.Now())
	r.witness.begin(a)
	work := w.request.Work(w.tries)
	w.tries++
	var first func()
	if w.request.Class == signal.TTFT {
		first = a.first
	}
	w.abandon = func() { a.done(policy.Outcome{Left: true}, upstream.Outcome{}) }
	w.call = r.upstreams[policy.Index(t)].Call(work, first, a.ended)
}

// releaseProbe gives back the probe slot that the ranking has claimed, once.
func (w *walk) releaseProbe() {
	if w.probe != nil {
		w.node.Board.Release(w.probe.Signal)
		w.probe = nil
	}
}

// leave is the caller giving up.
func (w *walk) leave() {
	if w.over {
		return
	}
	w.call.Cancel()
	w.abandon()
	if !w.over { // its node lives
		w.close()
	}
}

// answer is the target's answer, or its first token, on its way to the caller.
func (w *walk) answer(t *core.Target) {
	r, q := w.run, w.request
	r.log.Answer(q.At, r.engine.Now()-q.At, false)
	r.policy.Answered(w.node, t, q)
	if q.Session == 0 {
		return
	}
	if before, again := r.sessions[q.Session]; again && q.At >= r.Scenario.Warm {
		r.log.Turns++
		if before == t.Signal {
			r.log.Kept++
		}
	}
	r.sessions[q.Session] = t.Signal
}

func (w *walk) close() {
	w.over = true
	w.releaseProbe()
	w.run.open--
	if w.run.Scenario.Load.Callers > 0 {
		w.run.ask()
	}
}
