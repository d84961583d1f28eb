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
	began   time.Duration
	load    int
	wait    signal.Wait
	started bool // a first token has come
}

// first is the first token of a stream: it is measured then, and the caller has its answer.
func (a *attempt) first() {
	w := a.walk
	if w.node.Dead() {
		return
	}
	a.started = true
	a.wait.Answered()
	a.measure(policy.Outcome{Latency: w.since(a.began).Seconds()})
	w.node.Cooldowns.Prove(a.step.Target, a.at())
	w.run.log.Answer(w.request.At, w.since(w.request.At), false)
	w.releaseProbe()
}

// ended is the upstream's last word.
func (a *attempt) ended(o upstream.Outcome) {
	a.done(policy.Outcome{Failed: o.Failed, Latency: a.walk.since(a.began).Seconds()}, o)
}

// done settles the attempt and lets the request go on.
func (a *attempt) done(p policy.Outcome, o upstream.Outcome) {
	w, t := a.walk, a.step.Target
	a.wait.Answered()
	if w.node.Dead() { // its process has ended, and the caller's connection with it
		w.over = true
		w.run.open--
		return
	}
	switch {
	case p.Left:
		if a.step.claimed {
			w.node.Cooldowns.Release(t.Signal)
		}
	case p.Failed:
		a.measure(p)
		if w.node.Cooldowns.Fail(t, cooldown.Fault{RetryAfter: o.RetryAfter}, a.at(), w.node.Now()) > 0 {
			w.node.Urgent()
		}
	default:
		if !a.started {
			a.measure(p)
		}
		w.node.Cooldowns.Succeed(t, a.at())
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
		w.end(false)
	}
}

// measure tells the board.
func (a *attempt) measure(p policy.Outcome) {
	w := a.walk
	board, elapsed := w.node.Board, w.since(a.began)
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

func (a *attempt) at() time.Time { return a.walk.node.Time(a.began) }
