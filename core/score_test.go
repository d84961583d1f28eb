package core_test

import (
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/core"
)

// compileProfile compiles a profile with those members and the routing that names it.
func compileProfile(t *testing.T, members string) (*core.Group, []core.Fault) {
	t.Helper()
	s, faults := core.Compile(document(t, providerP, modelA, `profile/f {`+members+`}`, `routing/r {"strategy":"scored","targets":[{"model":"a"}],"profile":"f"}`), core.Site{})
	g, _ := s.Group("r")
	return g, faults
}

var prior = [core.Dimensions]core.MissingRule{core.MissingPrior, core.MissingPrior, core.MissingPrior, core.MissingPrior, core.MissingPrior}

func TestScoredRoutingsWithoutAProfileShareTheDefaults(t *testing.T) {
	s, faults := core.Compile(document(t, providerP, modelA, `routing/r {"strategy":"scored","targets":[{"model":"a"}]}`, `routing/s {"strategy":"scored","targets":[{"model":"r"}]}`), core.Site{})
	wantFaults(t, "no profile", faults)
	r, _ := s.Group("r")
	outer, _ := s.Group("s")
	if r.Score != outer.Score || r.Score.Profile != "" || r.Score.Missing != prior || r.Score.ProbeAfter != time.Minute || !r.ByCost {
		t.Errorf("got %+v and %+v, want the same defaults", r.Score, outer.Score)
	}
	for d, want := range []float64{.55, .25, .10, .10, 0} {
		if got := r.Score.Weights[d]; math.Abs(got-want) > 1e-15 {
			t.Errorf("%v weighs %v, want %v", core.Dimension(d), got, want)
		}
	}
}

func TestProfilesAreCompiledOnceForAllRoutings(t *testing.T) {
	var all core.Capabilities
	all.Add(core.CapabilityTools)
	all.Add(core.CapabilityVision)
	s, faults := core.Compile(document(t, providerP, modelA,
		`profile/f {"optimize":{"latency":3,"priority":1},"missing":{"cost":"exclude","quota":"penalize"},"require":{"capabilities":["tools","vision"],"context_window":8000},
			"limits":{"max_cost_usd":0.5,"max_latency_ms":1500.5},"prefer":{"p50":"1s","p90":"1s","p99":"2s","min_throughput":20},"exploration":0.5,"probe_after":"0s"}`,
		`routing/r {"strategy":"scored","targets":[{"model":"a"}],"profile":"f"}`, `routing/s {"strategy":"scored","targets":[{"model":"a"}],"profile":"f"}`), core.Site{})
	wantFaults(t, "every setting", faults)
	r, _ := s.Group("r")
	other, _ := s.Group("s")
	want := &core.ScorePolicy{
		Profile: "f", Weights: [core.Dimensions]float64{.75, 0, 0, 0, .25},
		Missing:      [core.Dimensions]core.MissingRule{core.MissingPrior, core.MissingPrior, core.MissingExclude, core.MissingPenalize, core.MissingPrior},
		Capabilities: all, ContextWindow: 8000, MaxCost: 0.5, MaxLatency: 1500500 * time.Microsecond,
		P50: time.Second, P90: time.Second, P99: 2 * time.Second, MinThroughput: 20, Exploration: 0.5,
	}
	if !reflect.DeepEqual(r.Score, want) || r.Score != other.Score {
		t.Errorf("got %+v and %+v, want %+v for both", r.Score, other.Score, want)
	}
}

func TestPricesAreComputedWhereAScoreLooksAtThem(t *testing.T) {
	for members, want := range map[string]bool{
		`"optimize":{"latency":1}`: false, `"optimize":{"latency":1,"cost":0.01}`: true, `"optimize":{"latency":1},"limits":{"max_cost_usd":1}`: true, `"description":"the defaults"`: true,
	} {
		g, faults := compileProfile(t, members)
		wantFaults(t, members, faults)
		if g.ByCost != want {
			t.Errorf("%s: ByCost is %v, want %v", members, g.ByCost, want)
		}
	}
	s, _ := core.Compile(document(t, providerP, modelA, `routing/r {"strategy":"scored","targets":[{"model":"a"}]}`, routing("out", "r")), core.Site{})
	if g, _ := s.Group("out"); !g.ByCost {
		t.Error("a routing over one whose score looks at prices does not compute them")
	}
}

func TestProfilesThatCannotBeServedAreRefused(t *testing.T) {
	for members, want := range map[string][]string{
		`"optimize":{}`:                                   {"/optimize weights"},
		`"optimize":{"cost":0}`:                           {"/optimize weights"},
		`"optimize":{"latency":-1,"cost":2}`:              {"/optimize/latency range"},
		`"optimize":{"health":1001,"quota":-0.1}`:         {"/optimize/health range", "/optimize/quota range"},
		`"missing":{"latency":"guess","quota":"none"}`:    {"/missing/latency enum", "/missing/quota enum"},
		`"require":{"capabilities":["tools","sight"]}`:    {"/require/capabilities/1 enum"},
		`"require":{"context_window":-1}`:                 {"/require/context_window minimum"},
		`"limits":{"max_cost_usd":0}`:                     {"/limits/max_cost_usd range"},
		`"limits":{"max_cost_usd":-1,"max_latency_ms":0}`: {"/limits/max_cost_usd range", "/limits/max_latency_ms range"},
		`"limits":{"max_latency_ms":1e-9}`:                {"/limits/max_latency_ms range"},
		`"prefer":{"p50":"0s"}`:                           {"/prefer/p50 minimum"},
		`"prefer":{"p50":"2s","p90":"1s"}`:                {"/prefer/p90 order"},
		`"prefer":{"p50":"2s","p99":"1s"}`:                {"/prefer/p99 order"},
		`"prefer":{"p90":"2s","p99":"1s"}`:                {"/prefer/p99 order"},
		`"prefer":{"min_throughput":0}`:                   {"/prefer/min_throughput range"},
		`"exploration":-0.1`:                              {"/exploration range"},
		`"exploration":0.51`:                              {"/exploration range"},
	} {
		g, faults := compileProfile(t, members)
		var expected []string
		for _, f := range want {
			expected = append(expected, "profile/f#"+f+" reject")
		}
		wantFaults(t, members, faults, append(expected, "routing/r#/profile reference reject")...)
		if g != nil {
			t.Errorf("%s: the routing is served", members)
		}
	}
}

func TestWeightsThatAreNoNumbersAreRefused(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64} {
		doc := document(t, providerP, modelA)
		doc.Set(&core.Profile{ID: "f", Optimize: &core.Optimize{Latency: 1, Cost: bad}, Exploration: bad, Limits: &core.ProfileLimits{MaxCostUSD: &bad}})
		_, faults := core.Compile(doc, core.Site{})
		want := []string{"profile/f#/exploration range reject", "profile/f#/limits/max_cost_usd range reject", "profile/f#/optimize/cost range reject"}
		if bad == math.MaxFloat64 {
			want = []string{want[0], want[2]}
		}
		wantFaults(t, "a weight", faults, want...)
	}
}

func TestAProfileIsForScoredRoutingsAndMustBeThere(t *testing.T) {
	_, faults := compileRouting(t, `"strategy":"scored","targets":[{"model":"a"}],"profile":"ghost"`)
	wantFaults(t, "an unknown profile", faults, "routing/r#/profile reference reject")
	_, faults = compileRouting(t, `"strategy":"failover","targets":[{"model":"a"}],"profile":"ghost"`)
	wantFaults(t, "another strategy", faults, "routing/r#/profile strategy reject")
}

func TestAContextWindowIsCompiled(t *testing.T) {
	s, faults := core.Compile(document(t, providerP, modelA, `model/w {"provider":"p","upstream_model":"m","context_window":8192}`, `model/z {"provider":"p","upstream_model":"m","context_window":0}`), core.Site{})
	wantFaults(t, "context windows", faults, "model/z#/context_window minimum reject")
	for id, want := range map[string]int{"a": 0, "w": 8192} {
		if g, _ := s.Group(id); g.Members[0].Target.ContextWindow != want {
			t.Errorf("%s: got %d, want %d", id, g.Members[0].Target.ContextWindow, want)
		}
	}
}
