package share

import (
	"fmt"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/core/signal"
	"github.com/sluice-gateway/sluice/store"
)

// names returns n of them, without the node's own.
func names(n int) []string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf("n%03d", i))
	}
	return out
}

// values are those of n nodes.
func values(n int, now time.Time) map[string][]byte {
	out := map[string][]byte{}
	for _, node := range names(n) {
		out[node] = measured(time.Second, now)
	}
	return out
}

// root is what an aggregator writes of some values.
func root(values map[string][]byte, now time.Time) store.Root {
	b := signal.NewBoard()
	for node, value := range values {
		p, err := signal.Decode(value, now)
		if err != nil {
			panic(err)
		}
		b.SetPeer(node, p)
	}
	b.Fold(now)
	return store.Root{Processed: 1, Value: b.EncodeFold(nil, now)}
}

func small(t *testing.T) *Sharer {
	t.Helper()
	return New(Config{Node: "self", Cell: cell, TreeAbove: 10}, offline(t), signal.NewBoard())
}

// samples are what the board knows beside what the node has measured itself.
func samples(sh *Sharer, now time.Time) float64 {
	sh.view.fold(now)
	return sh.board.Estimate(k, signal.TTFT, now).Attempts
}

func TestANodeChangesItsModeOnlyWhenTheOtherViewIsThere(t *testing.T) {
	sh, now := small(t), time.Now()
	w, v := sh.rootWatcher(), sh.view
	check := func(when string, mode Mode, members, vacant bool, live int, want float64) {
		t.Helper()
		if sh.Stats().Mode != mode || sh.Live() != live {
			t.Errorf("%s: %s with %d nodes, want %s with %d", when, sh.Stats().Mode, sh.Live(), mode, live)
		}
		v.look(func() {
			if v.wantsMembers() != members || v.vacant() != vacant {
				t.Errorf("%s: follows members is %t, vacant %t; want %t, %t", when, v.wantsMembers(), v.vacant(), members, vacant)
			}
		})
		if got := samples(sh, now); got < 0.95*want || got > 1.05*want {
			t.Errorf("%s: %.2f samples, want %v", when, got, want)
		}
	}
	check("at first", Flat, false, false, 1, 0)
	w.Aggregator("")
	w.Progress(1)
	check("without a root", Flat, false, false, 1, 0)
	counted(sh, 9)
	check("in a small cell", Flat, true, false, 1, 0)
	sh.listed(values(9, now), now)
	check("with 10 nodes", Flat, true, false, 10, 9)
	hear(sh, "n009", measured(time.Second, now))
	check("with 11 nodes", Flat, true, true, 11, 10)
	w.Aggregator("n000")
	w.Live(names(10))
	check("with an aggregator", Flat, true, false, 11, 10)
	sh.heardRoot(root(values(10, now), now), now)
	check("with a root", Tree, false, false, 11, 10)
	hear(sh, "n010", measured(time.Second, now)) // the last of the watch that ends
	sh.lost("n001", now)
	check("after more of the members", Tree, false, false, 11, 10)
	w.Aggregator("")
	check("without the aggregator", Tree, false, true, 11, 10)
	w.Aggregator("self")
	w.Live(names(8))
	check("with 9 nodes", Tree, false, true, 9, 10)
	w.Live(names(7))
	check("with 8 nodes", Tree, true, false, 8, 10)
	sh.heardRoot(root(values(7, now), now), now)
	check("with another root", Tree, true, false, 8, 7)
	sh.listed(values(7, now), now)
	check("with the members", Flat, true, false, 8, 7)
	sh.heardRoot(root(values(7, now), now), now)
	check("with a root that is of no use", Flat, true, false, 8, 7)
}

// counted is what the count of the members does.
func counted(sh *Sharer, n int) {
	sh.view.set(func() { sh.view.counted, sh.view.sized = n, true })
}

func TestACellThatIsLargeWithoutARootIsNotListedByAll(t *testing.T) {
	for n, want := range map[int]struct{ follows, vacant bool }{10: {true, false}, 11: {false, true}, 1000: {false, true}} {
		sh := small(t)
		sh.rootWatcher().Progress(1)
		counted(sh, n)
		sh.view.look(func() {
			if sh.view.wantsMembers() != want.follows || sh.view.vacant() != want.vacant {
				t.Errorf("%d nodes: follows members is %t, vacant %t", n, sh.view.wantsMembers(), sh.view.vacant())
			}
		})
	}
}

func TestACellThatOutgrowsEveryBoundIsNoLongerFollowed(t *testing.T) {
	sh, now := small(t), time.Now()
	sh.rootWatcher().Progress(1)
	counted(sh, 1)
	for n, want := range []bool{19: true, 20: false} {
		if n < 19 {
			continue
		}
		sh.listed(values(n, now), now)
		sh.view.look(func() {
			if sh.view.wantsMembers() != want {
				t.Errorf("%d nodes: follows members is %t", n+1, !want)
			}
		})
	}
	sh.heardRoot(root(values(20, now), now), now)
	if st := sh.Stats(); st.Mode != Tree {
		t.Errorf("with a root: %s", st.Mode)
	}
}

func TestANodeThatStartsInALargeCellNeverListsIt(t *testing.T) {
	sh, now := small(t), time.Now()
	w := sh.rootWatcher()
	w.Aggregator("n000")
	w.Live(names(20))
	sh.heardRoot(root(values(20, now), now), now)
	w.Progress(1)
	sh.view.look(func() {
		if sh.view.wantsMembers() || sh.view.in != Tree {
			t.Errorf("follows members is %t in mode %s", sh.view.wantsMembers(), sh.view.in)
		}
	})
	if sh.Live() != 21 || !sh.Keeps(keptBy(sh)) || samples(sh, now) < 19 {
		t.Errorf("%d nodes, %.1f samples", sh.Live(), samples(sh, now))
	}
}

// keptBy returns a key whose health the node checks.
func keptBy(sh *Sharer) signal.Key {
	for key := signal.Key(1); ; key++ {
		if signal.Owns(sh.cfg.Node, *sh.view.live.Load(), key, checkSlot) {
			return key
		}
	}
}

func TestARootThatIsNotUnderstoodSendsTheNodeToTheMembers(t *testing.T) {
	sh, now := small(t), time.Now()
	w := sh.rootWatcher()
	w.Aggregator("n000")
	w.Live(names(15))
	sh.heardRoot(store.Root{Processed: 1, Value: []byte("of another version")}, now)
	w.Progress(1)
	counted(sh, 15)
	wants := func(want bool) {
		t.Helper()
		sh.view.look(func() {
			if got := sh.view.wantsMembers(); got != want {
				t.Errorf("follows members is %t", got)
			}
		})
	}
	wants(true)
	sh.listed(values(15, now), now)
	sh.heardRoot(root(values(15, now), now), now)
	wants(false)
	sh.heardRoot(store.Root{Processed: 2, Value: []byte("of another version")}, now)
	wants(true)
	if got := sh.Stats().PeerRejects; got != 2 {
		t.Errorf("%d rejects, want 2", got)
	}
}

// What a root holds of this node is not counted twice.
func TestTheNodesOwnPartIsTakenOutOfTheRoot(t *testing.T) {
	sh, now := small(t), time.Now()
	sh.board.Succeed(k, signal.TTFT, time.Second, 0, now)
	sh.board.Begin(k)
	own := sh.board.Encode(nil, now)
	sh.written.add(5, own, now)
	all := values(20, now)
	all["self"] = own
	w := sh.rootWatcher()
	w.Live(names(20))
	r := root(all, now)
	for processed, inflight := range map[int64]int{4: 2, 5: 1, 6: 1} {
		r.Processed = processed
		sh.heardRoot(r, now)
		sh.view.fold(now)
		e := sh.board.Estimate(k, signal.TTFT, now)
		if want := 20 + float64(inflight); e.Inflight != inflight || e.Attempts < want-.1 || e.Attempts > want+.1 {
			t.Errorf("root up to %d, own value at 5: %d in flight and %.1f samples, want %d and %v", processed, e.Inflight, e.Attempts, inflight, 20+inflight)
		}
	}
}

func TestAViewThatIsNotKeptUpToDateIsDegraded(t *testing.T) {
	sh, now := small(t), time.Now()
	old := now.Add(-time.Hour)
	sh.view.current.Store(&old)
	if st := sh.Stats(); !st.Degraded || st.ViewAge < time.Hour {
		t.Errorf("an hour old: got %+v", st)
	}
	sh.listed(values(20, now), now)
	sh.membersWatcher().Progress(1)
	if st := sh.Stats(); st.Degraded || st.ViewAge > time.Minute {
		t.Errorf("up to date: degraded is %t, %v old", st.Degraded, st.ViewAge)
	}
	w := sh.rootWatcher()
	w.Aggregator("n000")
	w.Live(names(20))
	sh.heardRoot(root(values(20, now), now), now)
	sh.view.current.Store(&old)
	sh.membersWatcher().Progress(2)
	if !sh.Stats().Degraded {
		t.Error("the members' watch counts although the root does")
	}
	w.Progress(2)
	if sh.Stats().Degraded {
		t.Error("the root is up to date")
	}
	sh.view.current.Store(&old)
	w.Aggregator("")
	w.Progress(3)
	if !sh.Stats().Degraded {
		t.Error("nobody writes the root")
	}
}

func TestATickThatComesFarTooLateMeansASuspendedProcess(t *testing.T) {
	sh := small(t)
	for _, c := range []struct {
		monotonic, wall time.Duration
		want            bool
	}{
		{foldEvery, foldEvery, false}, {10 * time.Second, 10 * time.Second, false}, {29 * time.Second, 29 * time.Second, false},
		{31 * time.Second, 31 * time.Second, true},   // stopped
		{foldEvery, time.Hour, true},                 // the machine slept
		{foldEvery, -time.Hour, false},               // the wall clock was set back
		{time.Minute, foldEvery - time.Minute, true}, // and stopped
	} {
		if got := sh.slept(c.monotonic, c.wall); got != c.want {
			t.Errorf("%v later, %v by the wall clock: got %t", c.monotonic, c.wall, got)
		}
	}
}

func TestASuspendedProcessBeginsAnew(t *testing.T) {
	sh, now := small(t), time.Now()
	relisted := 0
	sh.view.begin(func() { relisted++ })
	sh.rootWatcher().Progress(1)
	sh.listed(values(5, now), now)
	sh.board.Succeed(k+1, signal.TTFT, time.Second, 0, now)
	sh.view.drop()
	hear(sh, "n000", measured(time.Second, now)) // what came while it slept
	sh.lost("n001", now)
	sh.rootWatcher().Live(names(20))
	sh.rootWatcher().Progress(2)
	if samples(sh, now) != 0 || sh.board.Estimate(k+1, signal.TTFT, now).Tried || sh.Live() != 1 || sh.Keeps(1) || relisted != 1 || sh.board.Ghosts(now) != 0 {
		t.Errorf("%d nodes, %.1f samples, %d ghosts, %d new lists; want a node that knows nothing", sh.Live(), samples(sh, now), sh.board.Ghosts(now), relisted)
	}
	sh.view.begin(func() {})
	sh.rootWatcher().Progress(3)
	sh.listed(values(5, now), now)
	if sh.Live() != 6 || samples(sh, now) < 4.9 {
		t.Errorf("after the new list: %d nodes, %.1f samples", sh.Live(), samples(sh, now))
	}
}
