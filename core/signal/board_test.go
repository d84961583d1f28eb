package signal

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestInflightOfTheFleetIsOwnAndPeers(t *testing.T) {
	a, b := NewBoard(), NewBoard()
	for range 3 {
		a.Begin(1)
	}
	b.Begin(1)
	b.SetPeer("a", send(t, a, start))
	b.Fold(start)
	if got := b.Estimate(1, TTFT, start).Inflight; got != 4 {
		t.Errorf("three at the peer and one here: got %d in flight, want 4", got)
	}
	b.Done(1)
	if got := b.Estimate(1, TTFT, start).Inflight; got != 3 {
		t.Errorf("the own one done: got %d in flight, want 3 at once", got)
	}
}

func TestInflightIsZeroAfterAllAreDone(t *testing.T) {
	b := NewBoard()
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			for range 200 {
				b.Begin(1)
				b.Forget(func(Key) bool { return false })
				b.Done(1)
			}
		})
	}
	wg.Wait()
	if got := b.Estimate(1, TTFT, start).Inflight; got != 0 {
		t.Errorf("got %d in flight, want 0", got)
	}
	b.Begin(1)
	if got := b.Estimate(1, TTFT, start).Inflight; got != 1 {
		t.Errorf("after one more began: got %d in flight, want 1", got)
	}
}

func TestForgetDropsWhatIsNotKeptAndCountsWhatIsInFlight(t *testing.T) {
	b := NewBoard()
	for k := range Key(4) {
		b.Succeed(k, TTFT, ms(100), 0, start)
		b.Cool(k, at(60), start)
		b.Estimate(k, TTFT, start)
	}
	b.Begin(2)
	b.Claim(3)
	b.Forget(func(k Key) bool { return k == 0 })
	for k := range Key(4) {
		e, want := b.Estimate(k, TTFT, start), k == 0
		if e.Tried != want || (e.Cooling > 0) != want {
			t.Errorf("key %d: tried %v, cooling %v; want %v for both", k, e.Tried, e.Cooling, want)
		}
	}
	if got := b.Estimate(2, TTFT, start).Inflight; got != 1 {
		t.Errorf("got %d in flight, want the one that is", got)
	}
	if b.Claim(3) {
		t.Error("the probe slot is free, want it held")
	}
	b.Done(2)
	b.Release(3)
	b.Forget(func(k Key) bool { return k == 0 })
	if got := b.Keys(start); len(got) != 1 || got[0] != 0 {
		t.Errorf("after the request is done: keys %v, want [0]", got)
	}
}

func TestOnlyOneOfManyClaimsTheProbeSlot(t *testing.T) {
	b := NewBoard()
	var won atomic.Int32
	var wg sync.WaitGroup
	for range 1000 {
		wg.Go(func() {
			if b.Claim(1) {
				won.Add(1)
			}
		})
	}
	wg.Wait()
	if won.Load() != 1 {
		t.Errorf("%d of 1000 have the slot, want 1", won.Load())
	}
	b.Release(1)
	if !b.Claim(1) {
		t.Error("the slot is taken after its release, want free")
	}
}

func TestCooldownIsTheLongestOfTheFleet(t *testing.T) {
	a, b := NewBoard(), NewBoard()
	a.Cool(1, at(30), at(0))
	b.Cool(1, at(10), at(0))
	b.Cool(1, at(5), at(0)) // a shorter one changes nothing
	check := func(what string, now, want float64) {
		t.Helper()
		got := b.Cooling(1, at(now))
		if got != at(want).Sub(start) || b.Estimate(1, TTFT, at(now)).Cooling != got {
			t.Errorf("%s: cools for %v, want %v s", what, got, want)
		}
	}
	check("own", 0, 10)
	b.SetPeer("a", send(t, a, at(2)))
	b.Fold(at(2))
	check("with the peer's", 2, 28)
	b.Warm(1)
	check("own ended", 2, 28)
	check("over", 31, 0)
	b.Gone("a", at(3))
	b.Fold(at(3))
	check("peer gone", 3, 0)
	b.Cool(1, at(1e9), at(3))
	check("absurdly long", 3, maxCooldown.Seconds())
}

func TestBoardStandsConcurrentUse(t *testing.T) {
	b, peer := NewBoard(), NewBoard()
	peer.Succeed(1, TTFT, ms(10), 0, start)
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for n := range 300 {
				k, now := Key(n%100), at(float64(n)/100)
				b.Begin(k)
				b.Succeed(k, TTFT, ms(10), 0, now)
				b.Fail(k, Total, ms(10), 0, now)
				b.Cool(k, now, now)
				b.Estimate(k, TTFT, now)
				b.Warm(k)
				b.Done(k)
				if n%50 == i {
					b.SetPeer("a", send(t, peer, now))
					b.Fold(now)
					b.Moved(now)
					b.Encode(nil, now)
					b.Keys(now)
					b.Gone("a", now)
				}
			}
		})
	}
	wg.Wait()
}

func TestRequestPathAllocatesNothing(t *testing.T) {
	b, peer := NewBoard(), NewBoard()
	const k = Key(1 << 60)
	peer.Succeed(k, TTFT, ms(10), 0, start)
	b.SetPeer("a", send(t, peer, start))
	b.Fold(start)
	b.Begin(k)
	now := start
	var w Wait
	got := testing.AllocsPerRun(100, func() {
		now = now.Add(time.Millisecond)
		b.Begin(k)
		b.Await(&w, k, TTFT, now)
		w.Answered()
		b.Claim(k)
		b.Release(k)
		b.Succeed(k, TTFT, ms(10), 0, now)
		b.Fail(k, TTFT, ms(10), 0, now)
		b.Cool(k, now, now)
		b.Cooling(k, now)
		b.Warm(k)
		b.Estimate(k, Total, now)
		b.Done(k)
	})
	if got != 0 {
		t.Errorf("got %v allocations, want 0", got)
	}
}

func BenchmarkEstimate(bm *testing.B) {
	b, peer := NewBoard(), NewBoard()
	peer.Succeed(1, TTFT, ms(10), 0, start)
	b.Succeed(1, TTFT, ms(10), 0, start)
	b.SetPeer("a", send(bm, peer, start))
	b.Fold(start)
	bm.ReportAllocs()
	for bm.Loop() {
		b.Estimate(1, TTFT, at(0.2))
	}
}

func BenchmarkEstimateAfterASample(bm *testing.B) {
	b, peer := NewBoard(), NewBoard()
	peer.Succeed(1, TTFT, ms(10), 1, start)
	b.SetPeer("a", send(bm, peer, start))
	b.Fold(start)
	bm.ReportAllocs()
	for bm.Loop() {
		b.Succeed(1, TTFT, ms(10), 1, at(0.1))
		b.Estimate(1, TTFT, at(0.2))
	}
}

func BenchmarkFoldOf200PeersWith50Keys(bm *testing.B) {
	b, peer := NewBoard(), NewBoard()
	for k := range Key(50) {
		peer.Succeed(k, TTFT, ms(10), 0, start)
		peer.Succeed(k, Total, ms(10), 0, start)
	}
	for range 200 {
		p := send(bm, peer, start)
		p.boot += uint64(len(b.peers))
		b.SetPeer(string(rune('a'+len(b.peers))), p)
	}
	bm.ReportAllocs()
	for bm.Loop() {
		b.Fold(at(1))
	}
}
