package signal

import (
	"math"
	"testing"
)

// under records n answers at random loads up to most, whose latency grows with load to that power.
func under(b *Board, k Key, n int, most int, power, noise float64, seed uint64) {
	r := seeded(seed)
	for i := range n {
		load := r.IntN(most)
		latency := 0.5 * math.Pow(float64(load+1), power) * math.Exp(noise*r.NormFloat64())
		b.Succeed(k, TTFT, ms(latency*1000), load, at(float64(i)*0.05))
	}
}

func TestElasticityIsHowLatencyGrowsWithLoad(t *testing.T) {
	for _, tc := range []struct {
		name         string
		power, noise float64
	}{{"a target that scales", 0, 0.5}, {"one that queues", 1, 0.3}, {"one in between", 0.5, 0.5}, {"one without noise", 0.7, 0}} {
		b := NewBoard()
		under(b, 1, 2000, 40, tc.power, tc.noise, 1)
		e := b.Estimate(1, TTFT, at(100))
		if off := math.Abs(e.Elasticity - tc.power); off > 3*e.ElasticityError+1e-3 || e.ElasticityError > 0.05 {
			t.Errorf("%s: got %.3f ± %.3f, want %v", tc.name, e.Elasticity, e.ElasticityError, tc.power)
		}
	}
}

func TestElasticityIsUnknownWithoutEnoughVariedSamples(t *testing.T) {
	b := NewBoard()
	under(b, 1, 5, 40, 1, 0, 1)
	for i := range 500 {
		b.Succeed(2, TTFT, ms(100), 7, at(float64(i)/10))
	}
	for k := range Key(3) {
		if e := b.Estimate(k, TTFT, at(50)); e.Elasticity != 0 || !math.IsInf(e.ElasticityError, 1) {
			t.Errorf("key %d: got %v ± %v, want 0 and an infinite error", k, e.Elasticity, e.ElasticityError)
		}
	}
}

func TestElasticityOfTheFleetIsThatOfTheUnion(t *testing.T) {
	a, b, union := NewBoard(), NewBoard(), NewBoard()
	under(a, 1, 300, 10, 0.6, 0.2, 1)
	under(b, 1, 300, 80, 0.6, 0.2, 2)
	under(union, 1, 300, 10, 0.6, 0.2, 1)
	under(union, 1, 300, 80, 0.6, 0.2, 2)
	b.SetPeer("a", send(t, a, at(15)))
	b.Fold(at(15))
	got, want := b.Estimate(1, TTFT, at(15)), union.Estimate(1, TTFT, at(15))
	if !near(got.Elasticity, want.Elasticity, 1e-4) || !near(got.ElasticityError, want.ElasticityError, 1e-3) {
		t.Errorf("got %v ± %v, want %v ± %v", got.Elasticity, got.ElasticityError, want.Elasticity, want.ElasticityError)
	}
}

func TestLoadIsWhatRecentAttemptsMet(t *testing.T) {
	b := NewBoard()
	if got := b.Begin(1); got != 0 {
		t.Errorf("the first request meets a load of %d, want 0", got)
	}
	if got := b.Begin(1); got != 1 {
		t.Errorf("the second meets %d, want 1", got)
	}
	b.Succeed(1, TTFT, ms(100), 0, at(0))
	b.Fail(1, TTFT, ms(1), 1, at(0))
	peer := NewBoard()
	peer.Begin(1)
	peer.Begin(1)
	peer.Succeed(1, Total, ms(100), 5, at(0))
	b.SetPeer("a", send(t, peer, at(0)))
	b.Fold(at(0))
	if got := b.Begin(1); got != 4 {
		t.Errorf("with two at a peer: got a load of %d, want 4", got)
	}
	if got := b.Estimate(1, TTFT, at(0)).Load; !near(got, 2, 1e-6) {
		t.Errorf("got a mean load of %v, want 2", got)
	}
}
