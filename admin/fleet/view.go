package fleet

import (
	"time"

	"github.com/sluice-gateway/sluice/core/signal"
)

// view is what some nodes know together at one moment, or one of them alone. It is folded before it is asked.
type view struct {
	board *signal.Board
	now   time.Time
	node  string        // of one node's view
	age   time.Duration // of that node's value
}

func newView(now time.Time) view { return view{board: signal.NewBoard(), now: now} }

// viewOf returns what one node knows alone.
func viewOf(node string, r receipt, now time.Time) view {
	v := newView(now)
	v.node, v.age = node, now.Sub(r.at)
	v.add(node, r.peer)
	v.board.Fold(now)
	return v
}

func (v view) add(node string, p *signal.Peer) { v.board.SetPeer(node, p) }

func (v view) estimate(k signal.Key, c signal.Class) signal.Estimate {
	return v.board.Estimate(k, c, v.now)
}

// spread returns the percentiles of a key; nil: none are known.
func (v view) spread(k signal.Key, c signal.Class) *Spread {
	s := v.board.Spread(k, c, v.now)
	if s.Weight == 0 {
		return nil
	}
	return &Spread{s.P50, s.P90, s.P99, s.Weight}
}

// contributor returns what the node adds to a key, and whether it adds anything.
func (v view) contributor(k signal.Key) (Contributor, bool) {
	ttft, total := v.estimate(k, signal.TTFT), v.estimate(k, signal.Total)
	c := Contributor{
		Node: v.node, AgeSeconds: v.age.Seconds(), Attempts: ttft.Attempts, TTFTWeight: own(ttft), TotalWeight: own(total),
		InFlight: ttft.Inflight, CoolingForSeconds: ttft.Cooling.Seconds(),
	}
	return c, known(ttft)
}

// own is the weight of the samples that are of the class itself.
func own(e signal.Estimate) float64 {
	if e.Borrowed {
		return 0
	}
	return e.Weight
}
