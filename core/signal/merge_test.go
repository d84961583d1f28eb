package signal

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/quick"
	"time"
)

// observe puts one random sample into every board given. Its failures are shorter than any latency, so that
// whether they count as one does not depend on what the board knows.
func observe(r *rand.Rand, k Key, now time.Time, boards ...*Board) {
	class, elapsed, load := Class(r.IntN(classes)), ms(2+r.ExpFloat64()*500), r.IntN(50)
	failed := r.IntN(4) == 0
	for _, b := range boards {
		if failed {
			b.Fail(k, class, ms(1), load, now)
		} else {
			b.Succeed(k, class, elapsed, load, now)
		}
	}
}

// merge lets some nodes take samples, publish now and then, and the first of them read all of that in any order and
// twice. It returns that one, a board that took every sample, and the time of the last.
func merge(t *testing.T, r *rand.Rand, board func() *Board, samples int, sample func(*rand.Rand, Key, time.Time, ...*Board)) (reader, union *Board, now time.Time) {
	nodes := make([]*Board, 2+r.IntN(8))
	for i := range nodes {
		nodes[i] = board()
	}
	union, now = board(), start
	type published struct {
		node string
		peer *Peer
	}
	var wire []published
	for range samples {
		now = now.Add(time.Duration(r.ExpFloat64() * float64(400*time.Millisecond)))
		i := r.IntN(len(nodes))
		sample(r, Key(r.IntN(4)), now, nodes[i], union)
		if i > 0 && r.IntN(10) == 0 {
			wire = append(wire, published{fmt.Sprint(i), send(t, nodes[i], now)})
		}
	}
	for i, n := range nodes[1:] {
		wire = append(wire, published{fmt.Sprint(i + 1), send(t, n, now)})
	}
	wire = append(wire, wire...) // everything is replayed
	r.Shuffle(len(wire), func(i, j int) { wire[i], wire[j] = wire[j], wire[i] })
	for _, w := range wire {
		nodes[0].SetPeer(w.node, w.peer)
	}
	nodes[0].Fold(now)
	return nodes[0], union, now
}

func TestMergedPeersAreTheUnionOfTheirStreams(t *testing.T) {
	property := func(seed uint64) bool {
		r := seeded(seed)
		reader, union, now := merge(t, r, NewBoard, 300, observe)
		now = now.Add(time.Duration(r.IntN(20)) * time.Second)
		for k := range Key(4) {
			for c := range Class(classes) {
				if got, want := reader.Estimate(k, c, now), union.Estimate(k, c, now); !sameEstimate(got, want, 1e-5) {
					t.Logf("seed %d key %d class %v: got %+v, want that of the union %+v", seed, k, c, got, want)
					return false
				}
			}
		}
		return true
	}
	if err := quick.Check(property, &quick.Config{MaxCount: 60}); err != nil {
		t.Error(err)
	}
}

func TestReplayOfAnOldValueChangesNothing(t *testing.T) {
	peer, reader := NewBoard(), NewBoard()
	peer.Succeed(1, TTFT, ms(100), 0, at(0))
	old := send(t, peer, at(0))
	peer.Succeed(1, TTFT, ms(900), 0, at(5))
	peer.Begin(1)
	reader.SetPeer("a", send(t, peer, at(5)))
	reader.Fold(at(5))
	want := reader.Estimate(1, TTFT, at(6))

	again := *old
	again.received = at(6)
	reader.SetPeer("a", &again)
	reader.Reset(map[string]*Peer{"a": old}, at(6))
	reader.Fold(at(6))
	if got := reader.Estimate(1, TTFT, at(6)); !sameEstimate(got, want, 1e-12) || got.Inflight != want.Inflight {
		t.Errorf("after the replay of an older value: got %+v, want %+v as before", got, want)
	}
}

func TestResyncWithTheSameValueDoesNotMakeItYounger(t *testing.T) {
	peer, reader := NewBoard(), NewBoard()
	peer.Succeed(1, TTFT, ms(100), 0, at(0))
	raw := peer.Encode(nil, at(0))
	for _, now := range []time.Time{at(0), at(60)} {
		p, err := Decode(raw, now)
		if err != nil {
			t.Fatal(err)
		}
		reader.Reset(map[string]*Peer{"a": p}, now)
	}
	reader.Fold(at(60))
	if got := reader.Estimate(1, TTFT, at(60)).SinceSample; got != time.Minute {
		t.Errorf("since the sample after a resync one minute later: got %v, want 1m0s", got)
	}
}

func TestOwnValueComingBackIsIgnored(t *testing.T) {
	b := NewBoard()
	b.Succeed(1, TTFT, ms(100), 0, at(0))
	b.Begin(1)
	b.SetPeer("myself", send(t, b, at(0)))
	b.Reset(map[string]*Peer{"myself": send(t, b, at(0))}, at(0))
	b.Fold(at(0))
	if got := b.Estimate(1, TTFT, at(0)); got.Inflight != 1 || !near(got.Attempts, 1, 1e-9) {
		t.Errorf("got %d in flight and %v attempts, want 1 and 1", got.Inflight, got.Attempts)
	}
}

func TestFoldedPeersAgeBetweenFolds(t *testing.T) {
	peer, reader := NewBoard(), NewBoard()
	peer.Succeed(1, TTFT, ms(100), 0, at(0))
	reader.SetPeer("a", send(t, peer, at(0)))
	reader.Fold(at(0))
	if got := reader.Estimate(1, TTFT, at(10)).Attempts; !near(got, 0.5, 1e-6) {
		t.Errorf("attempts one half-life after the fold: got %v, want 0.5", got)
	}
}

func TestNodesAgreeOnceTheyHaveTheSameValues(t *testing.T) {
	r := seeded(1)
	nodes := make([]*Board, 7)
	for i := range nodes {
		nodes[i] = NewBoard()
	}
	exchange := func(now time.Time) {
		for i, from := range nodes {
			if from.Moved(now) {
				raw := from.Encode(nil, now)
				for j, to := range nodes {
					p, err := Decode(raw, now.Add(time.Duration(r.IntN(50))*time.Millisecond))
					if err != nil {
						t.Fatalf("node %d to %d: %v", i, j, err)
					}
					to.SetPeer(fmt.Sprint(i), p)
				}
			}
		}
		for _, n := range nodes {
			n.Fold(now.Add(50 * time.Millisecond))
		}
	}
	for tick := range 40 {
		for range 30 {
			observe(r, 1, at(float64(tick)+r.Float64()), nodes[r.IntN(len(nodes))])
		}
		exchange(at(float64(tick + 1)))
	}
	exchange(at(41))
	exchange(at(42))
	least, most := 1e9, 0.0
	for _, n := range nodes {
		l := n.Estimate(1, TTFT, at(42.5)).Latency
		least, most = min(least, l), max(most, l)
	}
	if most > 1.02*least {
		t.Errorf("2.5 s after the last sample the nodes' latencies span %v to %v, want at most 2 %%", least, most)
	}
}
