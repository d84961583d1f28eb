package decision_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/decision"
	"github.com/sluice-gateway/sluice/core/rank"
)

func f(x float64) *float64 { return &x }

func TestASummarySaysWhatPutTheFirstThere(t *testing.T) {
	for _, c := range []struct {
		name     string
		strategy core.Strategy
		a, b     rank.Candidate
		want     string
	}{
		{"declared", core.StrategyFailover, rank.Candidate{}, rank.Candidate{}, "why=declared_order"},
		{"price", core.StrategyLeastCost, rank.Candidate{Price: f(0.01)}, rank.Candidate{Price: f(0.015)}, "why=price; margin=50%"},
		{"load", core.StrategyLeastBusy, rank.Candidate{Load: f(2)}, rank.Candidate{Load: f(3)}, "why=load; margin=50%"},
		{"no load", core.StrategyLeastBusy, rank.Candidate{Load: f(0)}, rank.Candidate{Load: f(3)}, "why=load; order"},
		{"time", core.StrategyLeastLatency, rank.Candidate{Class: "answers", Score: f(0.2)}, rank.Candidate{Class: "answers", Score: f(0.3)}, "why=expected_time; margin=50%"},
		{"class", core.StrategyLeastLatency, rank.Candidate{Class: "answers", Score: f(0.2)}, rank.Candidate{Class: "failing", Score: f(0.1)}, "why=class_answers"},
		{"turn", core.StrategyRoundRobin, rank.Candidate{Turn: f(2)}, rank.Candidate{Turn: f(1)}, "why=turn; order"},
		{"hash", core.StrategyConsistentHash, rank.Candidate{HashScore: f(2)}, rank.Candidate{HashScore: f(1)}, "why=hash; order"},
		{"priority", core.StrategyLeastCost, rank.Candidate{Price: f(1), Priority: 1}, rank.Candidate{Price: f(0.1)}, "why=priority; order"},
		{"total", core.StrategyScored, rank.Candidate{Class: "answers", Total: f(0.8)}, rank.Candidate{Class: "answers", Total: f(0.6)}, "why=total; margin=25%"},
		{"preference", core.StrategyScored, rank.Candidate{Total: f(0.1)}, rank.Candidate{Total: f(0.6), Demoted: []string{"p90"}}, "why=preference; order"},
		{"exploration", core.StrategyScored, rank.Candidate{Total: f(0.1), Explored: true}, rank.Candidate{Total: f(0.6)}, "why=exploration; order"},
		{"similarity", core.StrategySemantic, rank.Candidate{Semantic: &rank.MeaningTrace{Score: f(0.8)}}, rank.Candidate{Semantic: &rank.MeaningTrace{Score: f(0.4)}}, "why=similarity; margin=50%"},
		{"catchall behind", core.StrategySemantic, rank.Candidate{Semantic: &rank.MeaningTrace{Score: f(0.8)}}, rank.Candidate{Semantic: &rank.MeaningTrace{}}, "why=similarity; order"},
		{"probe", core.StrategyLeastLatency, rank.Candidate{Probe: true}, rank.Candidate{}, "why=probe; order"},
		{"session", core.StrategyLeastLatency, rank.Candidate{Sticks: true, Score: f(1)}, rank.Candidate{Score: f(1)}, "why=session; order"},
	} {
		c.a.Target, c.a.Position, c.a.Path, c.b.Target, c.b.Position, c.b.Path = "a", 1, []string{"r"}, "b", 2, []string{"r"}
		p := decision.Plan{Order: []decision.Step{{Target: "a"}, {Target: "b"}}}
		p.Ranking = &rank.Trace{Tiers: []rank.TierTrace{{Strategy: c.strategy}}, Candidates: []rank.Candidate{c.b, c.a}}
		if got := p.Summary(); !strings.HasPrefix(got, "strategy="+string(c.strategy)+"; "+c.want) || !strings.HasSuffix(got, "; order=a,b") {
			t.Errorf("%s: got %q, want %q in it", c.name, got, c.want)
		}
	}
}

func TestASummarySaysThatTheFallbackServes(t *testing.T) {
	p := decision.Plan{Order: []decision.Step{{Target: "a"}}}
	p.Ranking = &rank.Trace{
		Tiers:      []rank.TierTrace{{Strategy: core.StrategySemantic, Semantic: &rank.RouteTrace{State: rank.MeaningNoText, Fallback: true}}},
		Candidates: []rank.Candidate{{Target: "a", Position: 1, Path: []string{"r"}, Semantic: &rank.MeaningTrace{}}},
	}
	if got, want := p.Summary(), "strategy=semantic; why=fallback; order=a"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestASummaryNamesWhatCoolsAndWhatIsLeftOut(t *testing.T) {
	p := decision.Plan{Order: []decision.Step{{Target: "a", Probe: true}, {Target: "b", HalfOpen: true}, {Target: "c", Cooling: 3}}}
	p.Ranking = &rank.Trace{Candidates: []rank.Candidate{{Target: "d", Excluded: rank.ExcludedByTag}, {Routing: "r"}}}
	if got, want := p.Summary(), "order=a,b,c; probe=a; half_open=b; cooling=c; excluded=d:tag"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	refused := decision.Plan{Refused: &decision.Refusal{Reason: "cooling"}}
	if got, want := refused.Summary(), "refused=cooling"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestASummaryIsShortWhateverIsInIt(t *testing.T) {
	for _, n := range []int{1, 6, 7, 8, 9, 50, 1024} {
		var p decision.Plan
		p.Ranking = &rank.Trace{}
		for i := range n {
			name := strings.Repeat("x", 120) + fmt.Sprint(i)
			p.Order = append(p.Order, decision.Step{Target: name, Cooling: 1})
			p.Ranking.Candidates = append(p.Ranking.Candidates, rank.Candidate{Target: "no-" + name, Excluded: rank.ExcludedByTag})
		}
		got := p.Summary()
		if len(got) > 1024 || !strings.HasPrefix(got, "order=xxx") {
			t.Errorf("%d targets: %d bytes: %q", n, len(got), got)
		}
		if cut := strings.Contains(got, ",+"); n <= 2 && cut || n >= 9 && !cut {
			t.Errorf("%d targets: is it cut? %v: %q", n, cut, got)
		}
	}
}

func FuzzASummaryIsOneLineWithinItsBound(f *testing.F) {
	f.Add("a", 3)
	f.Add(strings.Repeat("n", 300), 100)
	f.Fuzz(func(t *testing.T, name string, n int) {
		var p decision.Plan
		for range min(max(n, 0), 2000) {
			p.Order = append(p.Order, decision.Step{Target: name})
		}
		if got := p.Summary(); len(got) > 1024 {
			t.Errorf("%d bytes", len(got))
		}
	})
}
