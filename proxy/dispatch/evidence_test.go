package dispatch

import (
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/rank"
	"github.com/sluice-gateway/sluice/core/signal"
)

func TestRankingIsShownWhatTheGroupAsksFor(t *testing.T) {
	board := signal.NewBoard()
	board.Want(map[signal.Key]signal.Detail{1: signal.WantSpread | signal.WantThroughput, 2: signal.WantSpread | signal.WantThroughput})
	now := time.Now()
	for range 4 {
		board.Succeed(1, signal.TTFT, time.Second, 0, now)
		board.Succeed(1, signal.Total, time.Minute, 0, now)
		board.Produced(1, signal.TTFT, 100, time.Second, now)
	}
	board.Limited(1, signal.Quota{Requests: signal.Limit{Used: 0.75, Reset: time.Hour}}, now)
	board.Succeed(2, signal.TTFT, time.Second, 0, now)
	board.Produced(2, signal.TTFT, 100, time.Second, now)
	e := newEvidence(board)
	for _, g := range []core.Group{{}, {ByQuota: true}, {Details: signal.WantSpread}, {Details: signal.WantThroughput}} {
		v := rank.View{Class: signal.TTFT}
		e.show(&v, &g)
		if (v.Quota != nil) != g.ByQuota || (v.Spread != nil) != (g.Details == signal.WantSpread) || (v.Throughput != nil) != (g.Details == signal.WantThroughput) {
			t.Errorf("of %+v the ranking is shown %+v", g, v)
		}
	}
	all := core.Group{ByQuota: true, Details: signal.WantSpread | signal.WantThroughput}
	v, whole := rank.View{Class: signal.TTFT}, rank.View{Class: signal.Total}
	e.show(&v, &all)
	e.show(&whole, &all)
	known, faint := &core.Target{Signal: 1}, &core.Target{Signal: 2}
	if p50, _, _, ok := v.Spread(known); !ok || p50 < 0.95 || p50 > 1.05 {
		t.Errorf("p50 of streams is %v, %v; want about 1 s", p50, ok)
	}
	if p50, _, _, ok := whole.Spread(known); !ok || p50 < 57 || p50 > 63 {
		t.Errorf("p50 of whole answers is %v, %v; want about 60 s", p50, ok)
	}
	if speed, ok := v.Throughput(known); !ok || speed < 99 || speed > 101 {
		t.Errorf("throughput is %v, %v; want 100", speed, ok)
	}
	if left, ok := v.Quota(known); !ok || left != 0.25 {
		t.Errorf("%v, %v of the quota is left; want 0.25", left, ok)
	}
	_, _, _, spread := v.Spread(faint)
	_, throughput := v.Throughput(faint)
	if _, quota := v.Quota(faint); spread || throughput || quota {
		t.Error("a single answer says something of a target, want nothing")
	}
	if n := testing.AllocsPerRun(100, func() { e.show(&v, &all) }); n > 0 {
		t.Errorf("got %v allocations, want none", n)
	}
}
