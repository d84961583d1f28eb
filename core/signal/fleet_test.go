package signal

import (
	"testing"
)

func TestGhostKeepsSumsAndLosesInflightAndCooldown(t *testing.T) {
	peer, b := NewBoard(), NewBoard()
	peer.Succeed(1, TTFT, ms(100), 0, at(0))
	peer.Begin(1)
	peer.Cool(1, at(100), at(0))
	b.SetPeer("a", send(t, peer, at(0)))
	b.Fold(at(0))
	before := b.Estimate(1, TTFT, at(1))
	b.Gone("a", at(1))
	b.Gone("nobody", at(1))
	b.Fold(at(1))
	got := b.Estimate(1, TTFT, at(1))
	if !sameEstimate(got, before, 1e-9) || got.Inflight != 0 || got.Cooling != 0 {
		t.Errorf("after the peer is gone: got %+v, want %+v without in-flight and cooldown", got, before)
	}
	for _, tc := range []struct {
		now  float64
		want bool
	}{{180, true}, {182, false}} {
		b.Fold(at(tc.now))
		if got := b.Estimate(1, TTFT, at(tc.now)).Tried; got != tc.want {
			t.Errorf("%v s after: known %v, want %v", tc.now-1, got, tc.want)
		}
	}
	if len(b.peers) != 0 || len(b.names) != 0 {
		t.Errorf("%d peers and %d names are kept, want none", len(b.peers), len(b.names))
	}
}

func TestNodeThatComesBackIsCountedOnce(t *testing.T) {
	peer, b := NewBoard(), NewBoard()
	peer.Succeed(1, TTFT, ms(100), 0, at(0))
	peer.Begin(1)
	p := send(t, peer, at(0))
	b.SetPeer("a", p)
	b.Gone("a", at(1))
	b.SetPeer("a", p) // the lease is granted again and the same value put again
	b.Fold(at(1))
	if got := b.Estimate(1, TTFT, at(0)); got.Inflight != 1 || !near(got.Weight, 1+0.8, 0.2) || !near(got.Attempts, 0.933, 1e-3) {
		t.Errorf("got %+v, want one request in flight and one attempt", got)
	}
}

func TestNodeRestartedUnderItsNameLeavesAGhost(t *testing.T) {
	old, fresh, b := NewBoard(), NewBoard(), NewBoard()
	for range 5 {
		old.Succeed(1, TTFT, ms(100), 0, at(0))
		old.Encode(nil, at(0)) // its sequence runs ahead of the new process's
	}
	old.Begin(1)
	fresh.Succeed(1, TTFT, ms(100), 0, at(0))
	b.SetPeer("a", send(t, old, at(0)))
	b.SetPeer("a", send(t, fresh, at(0)))
	b.Fold(at(0))
	if got := b.Estimate(1, TTFT, at(0)); got.Inflight != 0 || !near(got.Attempts, 6, 1e-6) {
		t.Errorf("got %d in flight and %v attempts, want 0 and 6", got.Inflight, got.Attempts)
	}
}

func TestNodeLearnsFromItsLastProcessUntilItPublishes(t *testing.T) {
	old, fresh := NewBoard(), NewBoard()
	old.Succeed(1, TTFT, ms(100), 0, at(0))
	old.Begin(1)
	fresh.Reset(map[string]*Peer{"self": send(t, old, at(0))}, at(0))
	fresh.SetPeer("self", send(t, fresh, at(0)))
	fresh.Fold(at(0))
	if got := fresh.Estimate(1, TTFT, at(0)); !got.Measured || got.Inflight != 0 {
		t.Errorf("got %+v, want measured and nothing in flight", got)
	}
}

func TestTwoNamesForOneProcessAreOnePeer(t *testing.T) {
	peer, b := NewBoard(), NewBoard()
	peer.Succeed(1, TTFT, ms(100), 0, at(0))
	p := send(t, peer, at(0))
	b.SetPeer("a", p)
	b.SetPeer("b", p)
	b.Fold(at(0))
	if got := b.Estimate(1, TTFT, at(0)).Attempts; !near(got, 1, 1e-6) {
		t.Errorf("got %v attempts, want 1", got)
	}
	b.Gone("a", at(1))
	b.Fold(at(1000))
	b.Gone("b", at(1001))
}

func TestResetTakesOutWhoIsMissing(t *testing.T) {
	b := NewBoard()
	for _, node := range []string{"a", "b"} {
		peer := NewBoard()
		peer.Begin(1)
		b.SetPeer(node, send(t, peer, at(0)))
	}
	peer := NewBoard()
	peer.Begin(1)
	peer.Begin(1)
	b.Reset(map[string]*Peer{"b": send(t, peer, at(1))}, at(1))
	b.Fold(at(1))
	if got := b.Estimate(1, TTFT, at(1)).Inflight; got != 2 {
		t.Errorf("got %d in flight, want the 2 of the one node that is there", got)
	}
}

func TestKeysAreThoseOfTheWholeFleet(t *testing.T) {
	peer, b := NewBoard(), NewBoard()
	peer.Succeed(3, TTFT, ms(100), 0, at(0))
	peer.Succeed(1, TTFT, ms(100), 0, at(0))
	b.Fail(1, TTFT, ms(100), 0, at(0))
	b.Begin(2)
	b.Warm(4) // a row without anything to say
	b.SetPeer("a", send(t, peer, at(0)))
	b.Fold(at(0))
	got := b.Keys(at(0))
	if len(got) != 3 || got[0] != 1 || got[1] != 2 || got[2] != 3 {
		t.Errorf("got %v, want [1 2 3]", got)
	}
}

func TestGhostsAreCountedUntilTheirTimeIsOver(t *testing.T) {
	b := NewBoard()
	for _, node := range []string{"a", "b"} {
		b.SetPeer(node, send(t, NewBoard(), at(0)))
	}
	if got := b.Ghosts(at(0)); got != 0 {
		t.Errorf("%d ghosts while all live, want none", got)
	}
	b.Gone("a", at(1))
	for now, want := range map[float64]int{1: 1, 181: 1, 182: 0} {
		if got := b.Ghosts(at(now)); got != want {
			t.Errorf("at %v s: %d ghosts, want %d", now, got, want)
		}
	}
}
