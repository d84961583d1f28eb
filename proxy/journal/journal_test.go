package journal_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/decision"
	"github.com/sluice-gateway/sluice/core/rank"
	"github.com/sluice-gateway/sluice/core/signal"
	"github.com/sluice-gateway/sluice/proxy/journal"
)

var now = time.Unix(1_000_000, 0).UTC()

func find(t testing.TB, j *journal.Journal, id string) (d decision.Decision, known bool) {
	t.Helper()
	raw, err := j.Find(id)
	if err != nil {
		t.Fatal(err)
	}
	if raw == nil {
		return d, false
	}
	if err := json.Unmarshal(raw, &d); err != nil {
		t.Fatal(err)
	}
	return d, true
}

func steps(names ...string) (out []decision.Step) {
	for _, n := range names {
		out = append(out, decision.Step{Target: n})
	}
	return out
}

func TestTheLatestDecisionsAreFoundAndOlderOnesAreNot(t *testing.T) {
	j := journal.New("n", 3)
	entries := map[string]journal.Entry{}
	for i := range 5 {
		id := fmt.Sprint("r", i)
		entries[id] = j.Begin(&decision.Decision{RequestID: id, Model: "m"}, steps("a", "b"), nil, now)
	}
	for id, e := range entries {
		e.Attempt(&decision.Attempt{Target: "a", Outcome: "ok"})
		e.End("ok", 200, now.Add(time.Second))
		d, known := find(t, j, id)
		if want := id >= "r2"; known != want {
			t.Errorf("%s: known %v, want %v", id, known, want)
		} else if known && (d.RequestID != id || len(d.Attempts) != 1 || d.Outcome != "ok" || d.Elapsed != 1 || !d.Time.Equal(now) || len(d.Order) != 2) {
			t.Errorf("%s: got %+v", id, d)
		}
	}
}

func TestOfTwoRequestsOfOneIDTheLatestIsFound(t *testing.T) {
	j := journal.New("n", 2)
	first := j.Begin(&decision.Decision{RequestID: "x", Model: "first"}, nil, nil, now)
	j.Begin(&decision.Decision{RequestID: "x", Model: "second"}, nil, nil, now)
	first.End("late", 500, now)
	if d, _ := find(t, j, "x"); d.Model != "second" || d.Outcome != "" {
		t.Errorf("got %+v", d)
	}
	j.Begin(&decision.Decision{RequestID: "y"}, nil, nil, now) // takes the place of the first
	if d, known := find(t, j, "x"); !known || d.Model != "second" {
		t.Errorf("after the first has gone: got %+v, %v", d, known)
	}
}

func TestAJournalOfNothingKeepsNothing(t *testing.T) {
	j := journal.New("n", 0)
	if j.Trace(1, false) != nil || j.Trace(1, true) == nil {
		t.Error("a ranking is traced for nobody, or not for who asks")
	}
	e := j.Begin(&decision.Decision{RequestID: "x"}, nil, new(rank.Trace), now)
	e.Attempt(&decision.Attempt{})
	e.End("ok", 200, now)
	if _, known := find(t, j, "x"); known {
		t.Error("it is kept")
	}
}

func TestWhatADecisionHoldsIsBounded(t *testing.T) {
	j := journal.New("n", 1)
	order := make([]decision.Step, decision.MaxOrder+3)
	large := &rank.Trace{Candidates: make([]rank.Candidate, 1000)}
	e := j.Begin(&decision.Decision{RequestID: "x"}, order, large, now)
	for range decision.MaxAttempts + 2 {
		e.Attempt(&decision.Attempt{})
	}
	d, _ := find(t, j, "x")
	if len(d.Order) != decision.MaxOrder || d.MoreTargets != 3 || len(d.Attempts) != decision.MaxAttempts || d.MoreAttempts != 2 || d.Ranking != nil {
		t.Errorf("got %d of the order and %d more, %d attempts and %d more, ranking %v", len(d.Order), d.MoreTargets, len(d.Attempts), d.MoreAttempts, d.Ranking != nil)
	}
}

func TestSmallRankingsAreAllKeptAndLargeOnesNowAndThen(t *testing.T) {
	j := journal.New("n", 1)
	for leaves, most := range map[int]float64{1: 1, 8: 1, 32: 0.35, 64: 0.2, 65: 0} {
		kept := 0
		for range 1000 {
			if r := j.Trace(leaves, false); r != nil {
				kept++
				j.Return(r)
			}
		}
		if share := float64(kept) / 1000; share > most || (most > 0) != (kept > 0) || most == 1 && share < 1 {
			t.Errorf("%d targets: a share of %v is kept, want up to %v", leaves, share, most)
		}
	}
}

// fixture ranks a group of n measured targets as the node does for each request.
type fixture struct {
	ranker *rank.Ranker
	board  *signal.Board
	group  *core.Group
	dst    []rank.Choice
}

func newFixture(n int) *fixture {
	f := &fixture{ranker: rank.NewRanker(), board: signal.NewBoard(), dst: make([]rank.Choice, 0, n)}
	f.group = &core.Group{ID: "r", Strategy: core.StrategyLeastLatency, Leaves: n, Depth: 1}
	f.group.Latency.Selection = core.SelectionAdaptive
	for i := range n {
		k := signal.Key(i + 1)
		for range 20 {
			f.board.Succeed(k, signal.TTFT, 100*time.Millisecond, 0, now)
		}
		f.group.Members = append(f.group.Members, core.Member{Target: &core.Target{Model: fmt.Sprint("target-", i), Signal: k}, Weight: 1})
	}
	return f
}

// request is what one request costs: its ranking and, with a journal, what is remembered of it.
func (f *fixture) request(j *journal.Journal, id string) {
	v := rank.View{Board: f.board, Now: now.Add(time.Second)}
	if j == nil {
		f.ranker.Order(f.dst[:0], f.group, v)
		return
	}
	v.Trace = j.Trace(f.group.Leaves, false)
	var room [8]decision.Step
	choices := f.ranker.Order(f.dst[:0], f.group, v)
	order := slices.Grow(room[:0], len(choices))
	for _, c := range choices {
		order = append(order, decision.Step{Target: c.Target.Model, Probe: c.Probe})
	}
	e := j.Begin(&decision.Decision{RequestID: id, Model: f.group.ID}, order, v.Trace, now)
	e.Attempt(&decision.Attempt{Target: f.group.ID, Outcome: "ok", Status: 200, Elapsed: 1})
	e.End("ok", 200, now)
}

func ids(n int) (out []string) {
	for i := range n {
		out = append(out, fmt.Sprint("request-of-the-usual-length-", i))
	}
	return out
}

func TestRememberingAllocatesNothingInTheLongRun(t *testing.T) {
	j, f, names := journal.New("n", 16), newFixture(8), ids(64)
	at := 0
	again := func() { f.request(j, names[at%len(names)]); at++ }
	for range 200 {
		again()
	}
	least := math.Inf(1) // of many: a pool may be emptied at any time, and is at random under the race detector
	for range 50 {
		least = min(least, testing.AllocsPerRun(1, again))
	}
	if least != 0 {
		t.Errorf("got %v allocations, want 0", least)
	}
}

func TestDecisionsAreReadWhileOthersAreMade(t *testing.T) {
	j, names := journal.New("n", 4), ids(32)
	var all sync.WaitGroup
	for worker := range 4 {
		all.Go(func() {
			f := newFixture(3)
			for i := range 300 {
				f.request(j, names[(i*7+worker)%len(names)])
			}
		})
		all.Go(func() {
			for i := range 300 {
				d, known := find(t, j, names[i%len(names)])
				if known && (d.RequestID != names[i%len(names)] || len(d.Order) != 3 || d.Ranking == nil || !strings.HasPrefix(d.Ranking.Candidates[0].Target, "target-")) {
					t.Errorf("got %+v", d)
				}
			}
		})
	}
	all.Wait()
}

func BenchmarkRequest(b *testing.B) {
	for _, n := range []int{1, 3, 8, 32} {
		for _, with := range []bool{false, true} {
			b.Run(fmt.Sprintf("targets=%d/journal=%v", n, with), func(b *testing.B) {
				var j *journal.Journal
				if with {
					j = journal.New("n", journal.Default)
				}
				f, names, i := newFixture(n), ids(1<<12), 0
				b.ReportAllocs()
				for b.Loop() {
					f.request(j, names[i&(1<<12-1)])
					i++
				}
			})
		}
	}
}

func TestNoSlotHoldsTheMemoryOfARankingThatIsTooLargeToBeKept(t *testing.T) {
	j := journal.New("n", 4)
	for range 8 {
		large := j.Trace(5000, true) // of a caller who wants to know
		large.Candidates = make([]rank.Candidate, 5000)
		j.Begin(&decision.Decision{RequestID: "large"}, nil, large, now)
		small := j.Trace(1, false)
		if room := cap(small.Candidates); room > 1000 {
			t.Fatalf("the next ranking is kept in room for %d candidates", room)
		}
		j.Begin(&decision.Decision{RequestID: "small"}, nil, small, now)
	}
}

func TestNoSlotHoldsTheMemoryOfRankingsOfManyShapes(t *testing.T) {
	j := journal.New("n", 4)
	for i := range 200 {
		r := j.Trace(1, false)
		if _, evidence := r.Room(); evidence > 1000 {
			t.Fatalf("after %d rankings there is room for %d pieces of evidence", i, evidence)
		}
		r.Candidates = append(r.Candidates[:0], make([]rank.Candidate, i%50+1)...)
		r.Candidates[i%50].Evidence = make([]rank.Evidence, 60)
		j.Begin(&decision.Decision{RequestID: "r"}, nil, r, now)
	}
}
