package share

import (
	"context"
	"log/slog"
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/sluice-gateway/sluice/core/signal"
	"github.com/sluice-gateway/sluice/store"
	"github.com/sluice-gateway/sluice/store/embedded"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	k    signal.Key = 7
	cell            = "cell"
)

func newStore(t *testing.T) func() *store.Store {
	t.Helper()
	etcd, err := embedded.Start(embedded.Config{Dir: t.TempDir(), UnsafeNoFsync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(etcd.Close)
	return func() *store.Store {
		s, err := store.Open(store.Config{Endpoints: etcd.Endpoints()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}
}

// still returns a sharer that does not run.
func still(t *testing.T, node string, s *store.Store) *Sharer {
	t.Helper()
	return New(Config{Node: node, Cell: cell, Logger: slog.New(slog.DiscardHandler)}, s, signal.NewBoard())
}

// running returns a sharer that runs until the test ends.
func running(t *testing.T, node string, s *store.Store) *Sharer {
	t.Helper()
	sh := still(t, node, s)
	run(t, sh.Run)
	return sh
}

// run runs f until the test ends, or until stop is called, which waits for it.
func run(t *testing.T, f func(context.Context) error) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := f(ctx); ctx.Err() == nil {
			t.Errorf("ended by itself: %v", err)
		}
	}()
	stop = func() { cancel(); <-done }
	t.Cleanup(stop)
	return stop
}

func await(t *testing.T, what string, ok func() bool) {
	t.Helper()
	late := time.After(30 * time.Second)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-late:
			t.Fatalf("%s: did not happen", what)
		case <-tick.C:
		}
	}
}

// offline is a store that nothing is asked of.
func offline(t *testing.T) *store.Store {
	t.Helper()
	s, err := store.Open(store.Config{Endpoints: []string{"127.0.0.1:1"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func measured(latency time.Duration, now time.Time) []byte {
	b := signal.NewBoard()
	b.Succeed(k, signal.TTFT, latency, 0, now)
	return b.Encode(nil, now)
}

// hear is what the watch of the members does.
func hear(sh *Sharer, node string, value []byte) { sh.membersWatcher().Put(node, value) }

func TestWhatANodeLearnsTheOthersKnow(t *testing.T) {
	open := newStore(t)
	a, b := running(t, "a", open()), running(t, "b", open())
	now := time.Now()
	a.board.Succeed(k, signal.TTFT, 300*time.Millisecond, 0, now)
	a.board.Cool(k, now.Add(time.Hour), now)
	a.Urgent()
	await(t, "b knows what a measured", func() bool { return b.board.Estimate(k, signal.TTFT, time.Now()).Measured })
	if left := b.board.Cooling(k, time.Now()); left < 50*time.Minute {
		t.Errorf("a's cooldown counts for %v at b, want about an hour", left)
	}
	await(t, "each knows both", func() bool { return a.Live() == 2 && b.Live() == 2 })
	c := running(t, "c", open())
	await(t, "a new node knows it from the start", func() bool { return c.board.Estimate(k, signal.TTFT, time.Now()).Measured })
}

func TestANodeWritesOnlyWhatMoved(t *testing.T) {
	open := newStore(t)
	s := open()
	sh := still(t, "a", s)
	run(t, sh.member.Run)
	await(t, "the first write", func() bool { sh.put(t.Context(), time.Now()); return !sh.owed.Load() })
	settled := revision(t, s)
	for range 20 {
		sh.put(t.Context(), time.Now())
	}
	if got, stats := revision(t, s), sh.Stats(); got != settled || stats.Puts != 1 || stats.Skips != 20 {
		t.Errorf("nothing moved: etcd went from revision %d to %d, %d writes, %d skips", settled, got, stats.Puts, stats.Skips)
	}
	sh.board.Succeed(k, signal.TTFT, time.Second, 0, time.Now())
	sh.put(t.Context(), time.Now())
	stats := sh.Stats()
	if got := revision(t, s); got != settled+1 || stats.Puts != 2 {
		t.Errorf("a sample came: revision %d after %d, %d writes; want one more of each", got, settled, stats.Puts)
	}
	if stats.PutBytes == 0 || stats.PutLatency.Count != 2 || stats.PutLatency.Sum <= 0 {
		t.Errorf("two writes of %d bytes that took %+v", stats.PutBytes, stats.PutLatency)
	}
}

// revision returns etcd's: it moves on with every write, whoever makes it.
func revision(t *testing.T, s *store.Store) int64 {
	t.Helper()
	image, err := s.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return image.Revision
}

func TestAWriteThatFailsIsOwed(t *testing.T) {
	sh := still(t, "a", offline(t)) // without a lease nothing can be written
	sh.board.Succeed(k, signal.TTFT, time.Second, 0, time.Now())
	for range 2 { // the second although nothing moved since the first
		sh.put(t.Context(), time.Now())
	}
	if stats := sh.Stats(); !sh.owed.Load() || stats.PutFailures != 2 || stats.Puts != 0 || stats.Skips != 0 {
		t.Errorf("owed is %t, %+v; want a write that is owed and was tried twice", sh.owed.Load(), stats)
	}
}

// However much there is to tell, what a node writes to etcd is bounded: its history is what fills etcd.
func TestABurstOfNewsIsNoBurstOfWrites(t *testing.T) {
	sh := running(t, "a", newStore(t)())
	await(t, "the first write", func() bool { return sh.Stats().Puts > 0 })
	before, began := sh.Stats().Puts, time.Now()
	await(t, "some writes", func() bool {
		for range 100 {
			now := time.Now()
			sh.board.Fail(k, signal.TTFT, time.Second, 0, now)
			sh.board.Cool(k, now.Add(time.Minute), now)
			sh.Urgent()
		}
		return sh.Stats().Puts >= before+4
	})
	elapsed := time.Since(began)
	if most := int64(elapsed/urgentGap) + 1 + int64(elapsed/(minInterval*9/10)) + 1; sh.Stats().Puts-before > most {
		t.Errorf("%d writes in %v, want at most %d", sh.Stats().Puts-before, elapsed, most)
	}
}

func TestAPeersGarbageLeavesItsLastGoodValue(t *testing.T) {
	sh, now := still(t, "a", offline(t)), time.Now()
	hear(sh, "b", measured(time.Second, now))
	hear(sh, "b", []byte("garbage"))
	hear(sh, "c", nil)
	sh.board.Fold(now)
	if e := sh.board.Estimate(k, signal.TTFT, now); !e.Measured || e.Latency < 0.99 || e.Latency > 1.01 {
		t.Errorf("estimate %+v, want b's second", e)
	}
	if stats := sh.Stats(); stats.PeerRejects != 2 || stats.PeerValues != 3 {
		t.Errorf("%d of %d values rejected, want 2 of 3", stats.PeerRejects, stats.PeerValues)
	}
	sh.listed(map[string][]byte{"b": []byte("garbage"), "d": measured(3*time.Second, now)}, now)
	if sh.Live() != 3 {
		t.Errorf("%d nodes after a resync, want b, d and this one", sh.Live())
	}
}

func TestTheCellIsWhoPublishesInIt(t *testing.T) {
	sh, now := still(t, "m", offline(t)), time.Now()
	check := func(when string, want ...string) {
		t.Helper()
		if got := *sh.view.live.Load(); !slices.Equal(got, want) || sh.Live() != len(want) {
			t.Errorf("%s: got %v, want %v", when, got, want)
		}
	}
	check("alone", "m")
	sh.listed(map[string][]byte{"z": measured(time.Second, now), "b": measured(time.Second, now), "m": measured(time.Second, now)}, now)
	check("after the first read", "b", "m", "z")
	hear(sh, "c", measured(time.Second, now))
	hear(sh, "c", measured(time.Second, now))
	check("after a newcomer", "b", "c", "m", "z")
	sh.lost("b", now)
	sh.lost("m", now) // its own lease may lapse while it lives
	check("after two are gone", "c", "m", "z")
	sh.listed(nil, time.Now())
	check("after a resync that found none", "m")
}

func TestANodeThatIsGoneTakesItsCooldownsAndLeavesItsSamples(t *testing.T) {
	sh, now := still(t, "a", offline(t)), time.Now()
	b := signal.NewBoard()
	b.Succeed(k, signal.TTFT, time.Second, 0, now)
	b.Cool(k, now.Add(time.Hour), now)
	b.Begin(k)
	hear(sh, "b", b.Encode(nil, now))
	sh.board.Fold(now)
	if sh.board.Cooling(k, now) == 0 || sh.board.Estimate(k, signal.TTFT, now).Inflight != 1 {
		t.Fatal("b's cooldown or its request does not count")
	}
	sh.lost("b", now)
	sh.board.Fold(now)
	if e := sh.board.Estimate(k, signal.TTFT, now); sh.board.Cooling(k, now) != 0 || e.Inflight != 0 || !e.Measured {
		t.Errorf("cooling for %v, estimate %+v; want neither cooldown nor request, and the sample", sh.board.Cooling(k, now), e)
	}
}

func TestEveryTargetHasOneNodeForProbesAndOneForChecks(t *testing.T) {
	names := []string{"a", "b", "c"}
	var fleet []*Sharer
	for _, name := range names {
		sh := still(t, name, offline(t))
		if sh.Keeps(1) {
			t.Errorf("%s checks health before it has heard of the others", name)
		}
		sh.listed(nil, time.Now())
		for _, other := range names {
			hear(sh, other, nil)
		}
		fleet = append(fleet, sh)
	}
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for key := range signal.Key(200) {
		probing, checking := 0, 0
		for _, sh := range fleet {
			if sh.Owns(key, now) {
				probing++
			}
			if sh.Keeps(key) {
				checking++
			}
		}
		if probing != 1 || checking != 1 {
			t.Errorf("target %d: %d nodes may probe it and %d check its health, want one of each", key, probing, checking)
		}
		if owner := fleet[0].Owns(key, now); owner != fleet[0].Owns(key, now.Add(probeSlot-1)) {
			t.Errorf("target %d changed hands within a slot", key)
		}
	}
}
