package scenario

import (
	"time"

	"github.com/sluice-gateway/sluice/core/signal"
	"github.com/sluice-gateway/sluice/proxy/cooldown"
	"github.com/sluice-gateway/sluice/tests/sim/policy"
	"github.com/sluice-gateway/sluice/tests/sim/upstream"
)

// attempt is one try of one target; what it tells the board and the cooldowns is what package dispatch tells them.
type attempt struct {
	walk    *walk
	step    *step
	began   time.Time // by the node's clock
	load    int
	wait    signal.Wait
	seen    signal.Wait // of the witness
	started bool        // a first token has come
	over    bool
}

// first is the first token of a stream: it is measured then, and the caller has its answer.
func (a *attempt) first() {
	w := a.walk
	if nap := w.node.Asleep(); nap > 0 {
		w.run.engine.After(nap, a.first)
		return
	}
	if w.node.Dead() || a.over {
		return
	}
	a.started = true
	a.wait.Answered()
	a.seen.Answered()
	a.measure(policy.Outcome{Latency: a.elapsed().Seconds()})
	w.node.Cooldowns.Prove(a.step.Target, a.began)
	w.answer(a.step.Target)
	w.releaseProbe()
}

// ended is the upstream's last word.
func (a *attempt) ended(o upstream.Outcome) {
	if nap := a.walk.node.Asleep(); nap > 0 {
		a.walk.run.engine.After(nap, func() { a.ended(o) })
		return
	}
	a.done(policy.Outcome{Failed: o.Failed, Latency: a.elapsed().Seconds()}, o)
}

// done settles the attempt and lets the request go on.
func (a *attempt) done(p policy.Outcome, o upstream.Outcome) {
	w, t := a.walk, a.step.Target
	if a.over {
		return
	}
	a.over = true
	a.wait.Answered()
	a.seen.Answered()
	if w.node.Dead() { // its process has ended, and the caller's connection with it
		w.over = true
		w.run.open--
		if !a.started {
			w.run.log.Lost(w.request.At)
		}
		return
	}
	switch {
	case p.Left:
		if a.step.claimed {
			w.node.Cooldowns.Release(t.Signal)
		}
	case p.Failed:
		a.measure(p)
		if w.node.Cooldowns.Fail(t, cooldown.Fault{RetryAfter: o.RetryAfter}, a.began, w.node.Now()) > 0 {
			w.node.Urgent()
		}
	default:
		if !a.started {
			a.measure(p)
		}
		w.node.Cooldowns.Succeed(t, a.began)
	}
	w.node.Board.Done(t.Signal)
	p.Now = w.run.engine.Now()
	if !a.started {
		w.run.policy.End(w.node, t, p)
	}
	if a.step.Probe {
		w.releaseProbe()
	}
	switch {
	case p.Left:
	case p.Failed:
		w.try()
	case a.started:
		w.close()
	default:
		w.answer(t)
		w.close()
	}
}

// measure tells the board.
func (a *attempt) measure(p policy.Outcome) {
	w := a.walk
	w.run.witness.end(a, p)
	board, elapsed := w.node.Board, a.elapsed()
	if p.Failed {
		board.Fail(a.step.Target.Signal, w.request.Class, elapsed, a.load, w.node.Now())
		return
	}
	board.Succeed(a.step.Target.Signal, w.request.Class, elapsed, a.load, w.node.Now())
	if a.started {
		p.Now = w.run.engine.Now()
		w.run.policy.End(w.node, a.step.Target, p)
	}
}

// elapsed is how long ago the attempt began, by the node's clock.
func (a *attempt) elapsed() time.Duration { return a.walk.node.Now().Sub(a.began) }
