package rank

import (
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/signal"
)

func target(name string, key signal.Key) *core.Target {
	return &core.Target{Model: name, Signal: key}
}

func TestSmoke(t *testing.T) {
	b := signal.NewBoard()
	now := time.Now()
	g := &core.Group{ID: "g", Strategy: core.StrategyLeastLatency, ProbeAfter: time.Minute, Leaves: 2, Depth: 1, Members: []core.Member{
		{Target: target("a", 1), Weight: 1}, {Target: target("b", 2), Weight: 1}}}
	r := NewRanker()
	b.Succeed(1, signal.TTFT, time.Second, now)
	b.Succeed(2, signal.TTFT, time.Second/2, now)
	got := r.Order(nil, g, View{Board: b, Now: now})
	if got[0].Target.Model != "b" || got[0].Probe {
		t.Fatal(got)
	}
}

func BenchmarkOrder(bm *testing.B) {
	b := signal.NewBoard()
	now := time.Now()
	g := &core.Group{ID: "g", Strategy: core.StrategyLeastLatency, ProbeAfter: time.Minute, Leaves: 8, Depth: 1}
	peer := signal.NewBoard()
	for i := range 8 {
		k := signal.Key(i+1) * 0x9e3779b97f4a7c15
		g.Members = append(g.Members, core.Member{Target: target(string(rune('a'+i)), k), Weight: 1})
		b.Succeed(k, signal.TTFT, time.Duration(i+1)*time.Second, now)
		b.Succeed(k, signal.Total, time.Duration(i+1)*time.Second, now)
		peer.Succeed(k, signal.TTFT, time.Duration(i+1)*time.Second, now)
	}
	p, err := signal.Decode(peer.Encode(nil, now), now)
	if err != nil {
		bm.Fatal(err)
	}
	b.SetPeer("p", p)
	b.Fold(now)
	r := NewRanker()
	dst := make([]Choice, 0, 8)
	now = now.Add(time.Second)
	bm.ReportAllocs()
	for bm.Loop() {
		dst = r.Order(dst[:0], g, View{Board: b, Now: now})
	}
}
