package scenario

import (
	"math"
	"time"

	"github.com/sluice-gateway/sluice/core/signal"
	"github.com/sluice-gateway/sluice/tests/sim/engine"
	"github.com/sluice-gateway/sluice/tests/sim/policy"
)

// watched is the largest fleet whose nodes are compared, every second, with a witness.
const watched = 10

// founded is the weight from which on an estimate must agree.
const founded = 8

// witness sees what all nodes see, the moment they do: what a fleet would know that shares without delay.
type witness struct {
	run   *run
	board *signal.Board
}

// watch makes the run's witness, if there is something to compare.
func (r *run) watch() {
	if !r.Policy.Ours || !r.Policy.Shared || r.Nodes < 2 || r.Nodes > watched {
		return
	}
	r.witness = &witness{r, signal.NewBoard()}
	for at := r.Scenario.Warm; at < r.Scenario.Length; at += time.Second {
		r.engine.At(at, r.witness.compare)
	}
}

func (w *witness) begin(a *attempt) {
	if w != nil {
		w.board.Await(&a.seen, a.step.Target.Signal, a.walk.request.Class, w.now())
	}
}

func (w *witness) end(a *attempt, p policy.Outcome) {
	switch {
	case w == nil:
	case p.Failed:
		w.board.Fail(a.step.Target.Signal, a.walk.request.Class, a.elapsed(), a.load, w.now())
	default:
		w.board.Succeed(a.step.Target.Signal, a.walk.request.Class, a.elapsed(), a.load, w.now())
	}
}

func (w *witness) now() time.Time { return engine.Wall(w.run.engine.Now()) }

// compare notes by how much the nodes are behind: E of SIGNALS.md §6.7.
func (w *witness) compare() {
	var worst float64
	for _, n := range w.run.fleet.Nodes() {
		n.Sync()
		for _, t := range w.run.targets {
			all, own := w.board.Estimate(t.Signal, signal.Total, w.now()), n.Board.Estimate(t.Signal, signal.Total, n.Now())
			if all.Weight >= founded && own.Weight >= founded {
				worst = max(worst, math.Abs(math.Log(own.Latency/all.Latency)))
			}
		}
	}
	w.run.log.Behind = append(w.run.log.Behind, worst)
}

// settle lets the last values of all nodes arrive after the last answer, which takes one more interval in a tree, and
// notes how far the nodes are still apart: D of SIGNALS.md §6.7.
func (r *run) settle() {
	intervals := 2
	if r.Nodes > flat {
		intervals = 3
	}
	r.engine.Run(r.engine.Now() + time.Duration(intervals)*r.Every + time.Second/2)
	if !r.Policy.Ours || !r.Policy.Shared || r.Nodes < 2 {
		return
	}
	var worst float64
	for _, t := range r.targets {
		least, most := math.Inf(1), math.Inf(-1)
		for _, n := range r.fleet.Nodes() {
			n.Sync()
			if e := n.Board.Estimate(t.Signal, signal.Total, n.Now()); e.Weight >= founded {
				least, most = min(least, math.Log(e.Latency)), max(most, math.Log(e.Latency))
			}
		}
		worst = max(worst, most-least)
	}
	r.log.Divergence = worst
}
