package dispatch

import (
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/rank"
	"github.com/sluice-gateway/sluice/core/signal"
)

// A limit on latency that left nobody may leave somebody a moment later, when the reason is looked for.
func TestLookingForWhyNobodyServesClaimsNoProbe(t *testing.T) {
	board, now := signal.NewBoard(), time.Now()
	board.Succeed(1, signal.Total, time.Second, 0, now)
	g := &core.Group{ID: "r", Strategy: core.StrategyLeastLatency, Leaves: 2, Depth: 1, Members: []core.Member{
		{Target: &core.Target{Model: "known", Signal: 1}, Weight: 1}, {Target: &core.Target{Model: "new", Signal: 2}, Weight: 1},
	}}
	x := &exchange{d: &Dispatcher{Config: Config{Ranker: rank.NewRanker()}}, call: Call{Group: g}}
	if f := x.unserved(rank.View{Board: board, Now: now, Class: signal.Total}); f.public.Status != 503 {
		t.Errorf("once somebody would serve: got %+v, want to be told to try again", f.public)
	}
	if board.Claimed(2) {
		t.Error("the probe slot is taken, and nobody will return it")
	}
}
