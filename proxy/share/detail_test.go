package share

import (
	"encoding/hex"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/core/signal"
	"github.com/sluice-gateway/sluice/store"
)

// measures has the node measure the key in detail.
func (h *hand) measures(key signal.Key) {
	now := time.Now()
	h.board.Want(map[signal.Key]signal.Detail{key: signal.WantSpread | signal.WantThroughput})
	for range 20 {
		h.board.Succeed(key, signal.TTFT, time.Second, 0, now)
		h.board.Produced(key, signal.TTFT, 100, 4*time.Second, now)
	}
	h.board.Limited(key, signal.Quota{Tokens: signal.Limit{Used: 0.75, Reset: time.Hour}}, now)
}

// knowsDetails says that the node knows of all that the one that measures has, and of nothing twice.
func knowsDetails(key signal.Key) func(*hand) bool {
	return func(h *hand) bool {
		now := time.Now()
		s := h.board.Spread(key, signal.TTFT, now)
		speed, answers := h.board.Throughput(key, now)
		left, known := h.board.Quota(key, now)
		return s.Weight > 10 && s.Weight < 20.1 && math.Abs(s.P90-1) < 0.05 && math.Abs(speed-25) < 0.1 && answers < 20.1 && known && math.Abs(left-0.25) < 1e-3
	}
}

func TestDetailsReachEveryNodeFlatAndByWayOfAnAggregator(t *testing.T) {
	t.Parallel()
	e := startEtcd(t)
	small := recruit(t, e, 2)
	small.nodes[0].measures(k)
	small.all(t, "details", knowsDetails(k))

	large := &crew{etcd: e, cell: small.cell + ".large"}
	for range 6 {
		large.join(t)
	}
	aggregator := large.tree(t, 6)
	large.nodes[(slices.Index(large.nodes, aggregator)+1)%6].measures(k)
	large.all(t, "details", knowsDetails(k))
}

// In a rolling update the nodes of version 2 go on to understand those that know more, until the last is gone.
func TestNodesWriteVersion2WhileANodeOfItLives(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../core/signal/testdata/version2.hex")
	if err != nil {
		t.Fatal(err)
	}
	value, err := hex.DecodeString(strings.Join(strings.Fields(string(text)), ""))
	if err != nil {
		t.Fatal(err)
	}
	c := recruit(t, startEtcd(t), 2)
	c.nodes[0].measures(k)
	c.all(t, "details", knowsDetails(k))

	s, err := store.Open(store.Config{Endpoints: c.etcd.Endpoints()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	old := s.Join(store.MemberConfig{Node: "old", Cell: c.cell, TTL: shortTTL})
	leave := run(t, old.Run)
	await(t, "the old node to be there", func() bool {
		_, err := old.PutSignals(t.Context(), value)
		return err == nil
	})
	written := func(version byte) func() bool {
		return func() bool {
			c.nodes[0].learns(k) // something moves
			values, err := s.Signals(t.Context(), c.cell)
			if err != nil {
				t.Fatal(err)
			}
			return !slices.ContainsFunc(values, func(v store.NodeRecord) bool { return v.Node != "old" && v.Value[0] != version })
		}
	}
	await(t, "all to write version 2", written(2))
	c.all(t, "what the old node knows", knows(0x0a))
	leave()
	await(t, "all to write version 3 again", written(3))
	if rejects := c.nodes[0].Stats().PeerRejects + c.nodes[1].Stats().PeerRejects; rejects > 0 {
		t.Errorf("%d values were not understood, want none", rejects)
	}
}
