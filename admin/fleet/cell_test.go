package fleet

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/signal"
	"github.com/sluice-gateway/sluice/store"
)

var start = time.Now()

// published is the value of a node that has made so many attempts at one upstream, each of a second.
func published(node string, k signal.Key, attempts int) store.NodeRecord {
	b := signal.NewBoard()
	for range attempts {
		b.Succeed(k, signal.Total, time.Second, 0, start)
	}
	return store.NodeRecord{Node: node, Value: b.Encode(nil, start)}
}

func TestALargeCellNamesTheContributorsWithTheMostAttempts(t *testing.T) {
	const nodes = 60
	var values []store.NodeRecord
	for i := range nodes {
		values = append(values, published(fmt.Sprintf("n%02d", i), 1, i+1))
	}
	received := New(script{}, core.Reach{}).receipts.take("c", values, start)
	c := newCell("c", []upstream{{key: 1, models: []string{"m"}}}, values, received, start)
	got := c.Targets[0]
	if len(c.Members) != nodes || len(got.Contributors) != maxContributors || got.OtherContributors != nodes-maxContributors {
		t.Fatalf("of %d nodes got %d, %d contributors and %d others", nodes, len(c.Members), len(got.Contributors), got.OtherContributors)
	}
	heavier := func(a, b Contributor) int { return cmp.Compare(b.Attempts, a.Attempts) }
	if !slices.IsSortedFunc(got.Contributors, heavier) || got.Contributors[0].Node != "n59" {
		t.Errorf("not the heaviest first: %+v", got.Contributors)
	}
}

func TestAgesCountFromTheFirstSightOfAValue(t *testing.T) {
	f := New(script{}, core.Reach{})
	old, fresh := published("a", 1, 1), published("a", 1, 1)
	for _, c := range []struct {
		after time.Duration
		value store.NodeRecord
		age   time.Duration
	}{
		{0, old, 0},
		{3 * time.Second, old, 3 * time.Second},
		{5 * time.Second, fresh, 0},
		{9 * time.Second, fresh, 4 * time.Second},
	} {
		now := start.Add(c.after)
		got := f.receipts.take("c", []store.NodeRecord{c.value}, now)["a"]
		if age := now.Sub(got.at); age != c.age {
			t.Errorf("after %v: the age is %v, want %v", c.after, age, c.age)
		}
	}
}

func TestNothingIsKeptOfNodesAndCellsThatAreGone(t *testing.T) {
	f := New(script{}, core.Reach{})
	for i := range 100 {
		node, cell := fmt.Sprint("n", i), fmt.Sprint("c", i)
		f.receipts.keep([]string{"stays", cell})
		f.receipts.take("stays", []store.NodeRecord{published(node, 1, 1)}, start)
		f.receipts.take(cell, []store.NodeRecord{published(node, 1, 1)}, start)
	}
	if got := f.receipts.cells; len(got) != 2 || len(got["stays"]) != 1 || len(got["c99"]) != 1 {
		t.Errorf("kept: %v", got)
	}
}

func TestWeightsFadeWhileNobodyWrites(t *testing.T) {
	f := New(script{}, core.Reach{})
	values := []store.NodeRecord{published("a", 1, 20)}
	weight := func(after time.Duration) float64 {
		now := start.Add(after)
		c := newCell("c", []upstream{{key: 1}}, values, f.receipts.take("c", values, now), now)
		return c.Targets[0].Contributors[0].Attempts
	}
	if first, later := weight(0), weight(10*time.Second); later < first*.49 || later > first*.51 {
		t.Errorf("attempts: %v, and after one half-life %v", first, later)
	}
}

func TestATargetShowsItsPercentilesThroughputAndQuota(t *testing.T) {
	values := make([]store.NodeRecord, 0, 2)
	for i := range 2 {
		b := signal.NewBoard()
		b.Want(map[signal.Key]signal.Detail{1: signal.WantSpread | signal.WantThroughput})
		for range 10 {
			b.Succeed(1, signal.TTFT, time.Duration(i+1)*time.Second, 0, start)
			b.Produced(1, signal.TTFT, 100, 4*time.Second, start)
		}
		b.Succeed(2, signal.TTFT, time.Second, 0, start)
		b.Limited(1, signal.Quota{Tokens: signal.Limit{Used: float64(i+1) / 4, Reset: time.Minute}}, start.Add(time.Duration(i)*time.Millisecond))
		values = append(values, store.NodeRecord{Node: fmt.Sprint("n", i), Value: b.Encode(nil, start.Add(time.Second))})
	}
	received := New(script{}, core.Reach{}).receipts.take("c", values, start)
	got := newCell("c", []upstream{{key: 1, models: []string{"m"}}, {key: 2, models: []string{"o"}}}, values, received, start).Targets
	s := got[0].TTFT.Spread
	if s == nil || s.P50Seconds < 0.95 || s.P50Seconds > 1.05 || s.P99Seconds < 1.9 || s.P99Seconds > 2.1 || s.Weight < 19 || s.Weight > 20 {
		t.Errorf("percentiles are %+v, want 1 and 2 s of 20 samples", s)
	}
	if x := got[0].Throughput; x == nil || x.TokensPerSecond < 24.99 || x.TokensPerSecond > 25.01 || x.Weight < 19 || x.Weight > 20 {
		t.Errorf("throughput is %+v, want 25 of 20 answers", x)
	}
	if q := got[0].QuotaRemaining; q == nil || *q < 0.4999 || *q > 0.5001 {
		t.Errorf("quota is %v, want what was said last, 0.5", q)
	}
	if o := got[1]; o.TTFT.Spread != nil || got[0].Total.Spread != nil || o.Throughput != nil || o.QuotaRemaining != nil {
		t.Errorf("of what nobody measures in detail got %+v", o)
	}
}
