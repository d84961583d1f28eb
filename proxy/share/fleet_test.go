package share

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/core/signal"
	"github.com/sluice-gateway/sluice/store"
	"github.com/sluice-gateway/sluice/store/embedded"
)

// Cells of this size have an aggregator; leases are the shortest that etcd grants.
const (
	treeAbove = 4
	shortTTL  = 2 * time.Second
)

// etcd is one that tests stop and start again at the same address.
type etcd struct {
	*embedded.Server
	cfg embedded.Config
}

func startEtcd(t *testing.T) *etcd {
	t.Helper()
	e := &etcd{cfg: embedded.Config{Dir: t.TempDir(), UnsafeNoFsync: true}}
	e.start(t)
	e.cfg.Listen = strings.TrimPrefix(e.Endpoints()[0], "http://")
	t.Cleanup(func() { e.Close() })
	return e
}

func (e *etcd) start(t *testing.T) {
	t.Helper()
	var err error
	if e.Server, err = embedded.Start(e.cfg); err != nil {
		t.Fatal(err)
	}
}

// crew are nodes of one cell.
type crew struct {
	etcd  *etcd
	cell  string
	nodes []*hand
}

// hand is one of them.
type hand struct {
	*Sharer
	stop func()
}

// recruit starts n nodes in a cell of the test's own.
func recruit(t *testing.T, e *etcd, n int) *crew {
	t.Helper()
	c := &crew{etcd: e, cell: strings.ReplaceAll(t.Name(), "/", ".")}
	for range n {
		c.join(t)
	}
	return c
}

// join starts one more node.
func (c *crew) join(t *testing.T) *hand {
	t.Helper()
	s, err := store.Open(store.Config{Endpoints: c.etcd.Endpoints()})
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{Node: fmt.Sprint("n", len(c.nodes)), Cell: c.cell, TreeAbove: treeAbove, TTL: shortTTL}
	h := &hand{Sharer: New(cfg, s, signal.NewBoard())}
	end := run(t, h.Run)
	h.stop = sync.OnceFunc(func() { end(); s.Close() })
	t.Cleanup(h.stop)
	c.nodes = append(c.nodes, h)
	return h
}

// all waits until ok holds at every node but those named.
func (c *crew) all(t *testing.T, what string, ok func(*hand) bool, but ...*hand) {
	t.Helper()
	for _, h := range c.nodes {
		if !slices.Contains(but, h) {
			await(t, what+" at "+h.cfg.Node, func() bool { return ok(h) })
		}
	}
}

// tree waits until all live nodes know of n, by way of an aggregator, and returns that.
func (c *crew) tree(t *testing.T, n int, but ...*hand) *hand {
	t.Helper()
	c.all(t, fmt.Sprintf("a tree of %d", n), func(h *hand) bool {
		st := h.Stats()
		return st.Mode == Tree && st.Live == n && st.Aggregator != ""
	}, but...)
	i := slices.IndexFunc(c.nodes, func(h *hand) bool { return !slices.Contains(but, h) && h.Stats().Aggregating })
	if i < 0 {
		t.Fatal("a tree without an aggregator")
	}
	return c.nodes[i]
}

// estimate is what the node knows of the key.
func (h *hand) estimate(key signal.Key) signal.Estimate {
	return h.board.Estimate(key, signal.TTFT, time.Now())
}

func (h *hand) learns(key signal.Key) { h.board.Succeed(key, signal.TTFT, time.Second, 0, time.Now()) }

func knows(key signal.Key) func(*hand) bool {
	return func(h *hand) bool { return h.estimate(key).Measured }
}

func TestALargeFleetLearnsByWayOfAnAggregator(t *testing.T) {
	t.Parallel()
	c := recruit(t, startEtcd(t), 8)
	aggregator := c.tree(t, 8)
	learner := c.nodes[(slices.Index(c.nodes, aggregator)+1)%8]
	learner.learns(k)
	learner.board.Begin(k)
	c.all(t, "what one has learnt", func(h *hand) bool { return h.estimate(k).Measured && h.estimate(k).Inflight == 1 })
	if others := c.nodes[0].Stats(); others.Ghosts > 0 || others.PeerRejects > 0 {
		t.Errorf("got %+v", others)
	}

	newcomer := c.join(t)
	await(t, "the newcomer to see the others", func() bool { return newcomer.view.listed.Load() })
	if e, st := newcomer.estimate(k), newcomer.Stats(); !e.Measured || st.Mode != Tree || st.PeerValues > 2 {
		t.Errorf("a newcomer in a large cell: %+v, %+v; want it warm by the root alone", e, st)
	}
	c.tree(t, 9)

	for range 2 { // what is its own part of the root now has been so for more than one root
		before := learner.count.peerValues.Load()
		await(t, "another root", func() bool { c.nodes[8].learns(k + 9); return learner.count.peerValues.Load() > before })
		if e := learner.estimate(k); e.Inflight != 1 || e.Attempts > 1.2 {
			t.Errorf("the learner counts itself twice: %+v", e)
		}
	}
}

func TestANodeThatDiesTakesItsRequestsAndCooldownsAlong(t *testing.T) {
	t.Parallel()
	for _, size := range []int{3, 6} {
		t.Run(fmt.Sprint(size, " nodes"), func(t *testing.T) {
			t.Parallel()
			c := recruit(t, startEtcd(t), size)
			victim := c.nodes[0]
			if size > treeAbove {
				aggregator := c.tree(t, size)
				victim = c.nodes[(slices.Index(c.nodes, aggregator)+1)%size]
			}
			victim.learns(k)
			victim.board.Begin(k)
			victim.board.Cool(k, time.Now().Add(time.Hour), time.Now())
			victim.Urgent()
			c.all(t, "the request and the cooldown", func(h *hand) bool {
				return h.estimate(k).Inflight == 1 && h.board.Cooling(k, time.Now()) > time.Minute
			})
			victim.stop()
			c.all(t, "neither", func(h *hand) bool { return h.estimate(k).Inflight == 0 && h.board.Cooling(k, time.Now()) == 0 }, victim)
			c.all(t, "the sample all the same", knows(k), victim)
			c.all(t, "one node less", func(h *hand) bool { return h.Live() == size-1 }, victim)
		})
	}
}

func TestALostAggregatorIsReplaced(t *testing.T) {
	t.Parallel()
	c := recruit(t, startEtcd(t), 7)
	first := c.tree(t, 7)
	c.nodes[(slices.Index(c.nodes, first)+1)%7].learns(k)
	c.all(t, "what one has learnt", knows(k))
	first.stop() // without a word: its claim goes with its lease
	c.all(t, "the last root until there is another", knows(k), first)
	second := c.tree(t, 6, first)
	second.learns(k + 1)
	c.all(t, "what the second aggregator has learnt", knows(k+1), first)
	second.stop()
	if err := second.Leave(t.Context()); err == nil {
		t.Error("left over a closed store")
	}
	third := c.tree(t, 5, first, second)
	third.learns(k + 2)
	c.all(t, "what the third aggregator has learnt", knows(k+2), first, second)
	if st := third.Stats(); st.RootPuts == 0 || st.RootBytes == 0 {
		t.Errorf("the aggregator: %+v", st)
	}
}

func TestAFleetWhoseLeasesAreAllRevokedComesBack(t *testing.T) {
	t.Parallel()
	e := startEtcd(t)
	c := recruit(t, e, 6)
	c.tree(t, 6)
	c.nodes[0].learns(k)
	c.all(t, "what one has learnt", knows(k))
	puts := func(h *hand) int64 { return h.Stats().Puts }
	before := map[*hand]int64{}
	for _, h := range c.nodes {
		before[h] = puts(h)
	}
	if err := e.EndLeases(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.all(t, "the signals again, although nothing has moved", func(h *hand) bool { return puts(h) > before[h] })
	c.tree(t, 6)
	c.all(t, "what one had learnt", knows(k))
	c.nodes[5].learns(k + 1)
	c.all(t, "what another has learnt since", knows(k+1))
}

func TestAFleetGoesOnWithoutEtcdAndAfterIt(t *testing.T) {
	t.Parallel()
	e := startEtcd(t)
	c := recruit(t, e, 6)
	c.tree(t, 6)
	c.nodes[0].learns(k)
	c.all(t, "what one has learnt", knows(k))
	e.Close()
	c.nodes[1].learns(k + 1)
	c.all(t, "a degraded view", func(h *hand) bool { return h.Stats().Degraded })
	c.all(t, "what it knew", knows(k))
	if c.nodes[2].estimate(k + 1).Measured {
		t.Error("a node knows what it cannot have heard")
	}
	e.start(t)
	c.tree(t, 6)
	c.all(t, "what was learnt meanwhile", knows(k+1))
	c.all(t, "a view that is not degraded", func(h *hand) bool { return !h.Stats().Degraded })
}

func TestAFleetThatShrinksGoesBackToFollowingEveryNode(t *testing.T) {
	t.Parallel()
	c := recruit(t, startEtcd(t), 6)
	aggregator := c.tree(t, 6)
	var gone []*hand
	for _, h := range c.nodes {
		if h != aggregator && len(gone) < 3 {
			h.stop()
			gone = append(gone, h)
		}
	}
	flat := func(h *hand) bool { st := h.Stats(); return st.Mode == Flat && st.Live == 3 }
	c.all(t, "three nodes that follow one another", flat, gone...)
	aggregator.learns(k)
	c.all(t, "what one has learnt", knows(k), gone...)
	if st := aggregator.Stats(); !st.Aggregating {
		t.Error("the aggregator gave up before the others could have listed the members")
	}
}

// A graceful stop says that nothing is in flight and leaves what was measured.
func TestANodeThatLeavesLeavesItsLastSignals(t *testing.T) {
	t.Parallel()
	c := recruit(t, startEtcd(t), 2)
	stays, leaves := c.nodes[0], c.nodes[1]
	leaves.board.Begin(k)
	await(t, "the request", func() bool { return stays.estimate(k).Inflight == 1 })
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	leaves.learns(k)
	leaves.board.Done(k)
	if err := leaves.Leave(ctx); err != nil { // a running member may leave too
		t.Fatal(err)
	}
	await(t, "the last signals", func() bool { e := stays.estimate(k); return e.Inflight == 0 && e.Measured })
}
