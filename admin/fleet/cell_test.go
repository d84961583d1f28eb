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
