package signal

import (
	"fmt"
	"testing"
	"testing/quick"
	"time"
)

// aggregate is what an aggregator makes of the members' values.
func aggregate(t *testing.T, members map[string]*Peer, now time.Time) *Peer {
	t.Helper()
	b := NewBoard()
	b.Reset(members, now)
	b.Fold(now)
	p, err := Decode(b.EncodeFold(nil, now), now)
	if err != nil || p.Rejected != 0 {
		t.Fatalf("the root does not decode: %v, %d entries rejected", err, p.Rejected)
	}
	return p
}

func TestNodeWithARootKnowsWhatItWouldKnowFromTheMembers(t *testing.T) {
	property := func(seed uint64) bool {
		r := seeded(seed)
		nodes := make([]*Board, 2+r.IntN(8))
		for i := range nodes {
			nodes[i] = NewBoard()
		}
		now := start
		for range 300 {
			now = now.Add(time.Duration(r.ExpFloat64() * float64(100*time.Millisecond)))
			observe(r, Key(r.IntN(4)), now, nodes[r.IntN(len(nodes))])
			nodes[r.IntN(len(nodes))].Begin(Key(r.IntN(4)))
		}
		members := map[string]*Peer{}
		for i, n := range nodes {
			members[fmt.Sprint(i)] = send(t, n, now)
		}
		root := aggregate(t, members, now)
		for range 20 { // own samples that the root does not hold yet
			now = now.Add(50 * time.Millisecond)
			observe(r, Key(r.IntN(4)), now, nodes[0])
		}
		flat := nodes[0]
		flat.Reset(members, now)
		flat.Fold(now)
		want := map[Key]Estimate{}
		for k := range Key(4) {
			want[k] = flat.Estimate(k, TTFT, now)
		}
		flat.SetRoot(root, members["0"])
		flat.Fold(now)
		for k := range Key(4) {
			if got := flat.Estimate(k, TTFT, now); !sameEstimate(got, want[k], 1e-4) || got.Inflight != want[k].Inflight {
				t.Logf("seed %d key %d: got %+v, want %+v as from the members", seed, k, got, want[k])
				return false
			}
		}
		return true
	}
	if err := quick.Check(property, &quick.Config{MaxCount: 60}); err != nil {
		t.Error(err)
	}
}

func TestOwnCooldownInTheRootEndsWithTheOwn(t *testing.T) {
	b, other := NewBoard(), NewBoard()
	b.Cool(1, at(30), at(0))
	other.Cool(2, at(30), at(0))
	own := send(t, b, at(0))
	root := aggregate(t, map[string]*Peer{"self": own, "other": send(t, other, at(0))}, at(0))
	b.SetRoot(root, own)
	b.Fold(at(1))
	b.Warm(1)
	if b.Cooling(1, at(1)) != 0 || b.Cooling(2, at(1)) != 29*time.Second {
		t.Errorf("got %v and %v, want the own cooldown over and the peer's at 29s", b.Cooling(1, at(1)), b.Cooling(2, at(1)))
	}
}

func TestRootAndMembersAreNeverCountedTwice(t *testing.T) {
	b, other := NewBoard(), NewBoard()
	other.Succeed(1, TTFT, ms(100), 0, at(0))
	other.Begin(1)
	members := map[string]*Peer{"other": send(t, other, at(0))}
	root := aggregate(t, members, at(0))
	check := func(when string) {
		t.Helper()
		b.Fold(at(0))
		if e := b.Estimate(1, TTFT, at(0)); e.Inflight != 1 || !near(e.Attempts, 1, 1e-6) {
			t.Errorf("%s: got %d in flight and %v attempts, want 1 and 1", when, e.Inflight, e.Attempts)
		}
	}
	b.Reset(members, at(0))
	check("from the members")
	b.SetRoot(root, nil)
	check("from the root")
	b.Reset(members, at(0))
	check("from the members again")
}

func TestOwnPartOfARootLeavesNothingBehind(t *testing.T) {
	b := NewBoard()
	for i := range 100 {
		b.Succeed(1, TTFT, ms(100), i, at(float64(i)/50))
	}
	own := send(t, b, at(2))
	root := aggregate(t, map[string]*Peer{"self": own}, at(2.05)) // it has travelled
	fresh := NewBoard()
	fresh.SetRoot(root, own)
	fresh.Fold(at(2.1))
	if got := fresh.Estimate(1, TTFT, at(2.1)); got.Weight != 0 || got.Attempts > 1 {
		t.Errorf("got %+v, want nothing of the own", got)
	}
}

func TestElasticityIsTheSameByWayOfARoot(t *testing.T) {
	a, b := NewBoard(), NewBoard()
	under(a, 1, 300, 80, 0.9, 0.2, 1)
	under(b, 1, 300, 80, 0.1, 0.2, 2)
	members := map[string]*Peer{"a": send(t, a, at(15)), "b": send(t, b, at(15))}
	b.Reset(members, at(15))
	b.Fold(at(15))
	want := b.Estimate(1, TTFT, at(15))
	b.SetRoot(aggregate(t, members, at(15)), members["b"])
	b.Fold(at(15))
	got := b.Estimate(1, TTFT, at(15))
	if !near(got.Elasticity, want.Elasticity, 1e-4) || !near(got.ElasticityError, want.ElasticityError, 1e-3) {
		t.Errorf("got %v ± %v, want %v ± %v as from the members", got.Elasticity, got.ElasticityError, want.Elasticity, want.ElasticityError)
	}
}

// A root that is not quite what this node had written must not make the others' requests fewer than none.
func TestInflightOfTheOthersIsNeverNegative(t *testing.T) {
	older, later, reader := NewBoard(), NewBoard(), NewBoard()
	older.Begin(1)
	for range 3 {
		later.Begin(1)
	}
	reader.Begin(1)
	reader.SetRoot(aggregate(t, map[string]*Peer{"a": send(t, older, start)}, start), send(t, later, start))
	reader.Fold(start)
	if got := reader.Estimate(1, TTFT, start).Inflight; got != 1 {
		t.Errorf("got %d in flight, want the own one", got)
	}
}
