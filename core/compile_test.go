package core_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/core"
)

func TestCompileServesModelsAndRoutingsUnderTheirNames(t *testing.T) {
	doc := document(t, providerP, modelA, modelB,
		`routing/r {"strategy":"least_latency","targets":[{"model":"b","weight":3,"priority":-2},{"model":"a"},{"model":"n"}],"retries":0,"max_fallbacks":2,"retry_on_429":true,"fallback_on_statuses":[422,404],"when_all_unavailable":"fail","deadline":"90s","latency":{"probe_after":"5s"}}`,
		routing("n", "a"))
	s, faults := core.Compile(doc, core.Site{})
	wantFaults(t, "a good document", faults)
	if got := strings.Join(s.Names(), " "); got != "a b n r" {
		t.Errorf("names: got %q, want %q", got, "a b n r")
	}
	g, ok := s.Group("r")
	if !ok || members(g) != "b a n*" || g.Leaves != 3 || g.Depth != 2 {
		t.Fatalf("routing r: got %+v, want members b, a and n, three leaves, depth 2", g)
	}
	if m := g.Members[0]; m.Weight != 3 || m.Priority != -2 || g.Members[1].Weight != 1 || g.Members[1].Priority != 0 {
		t.Errorf("got members %+v, want weight 3 and priority -2, then the defaults 1 and 0", g.Members)
	}
	if g.Retries != 0 || g.MaxFallbacks != 2 || !g.RetryOn429 || g.WhenAllUnavailable != core.UnavailableFail ||
		g.Deadline != 90*time.Second || g.Latency.ProbeAfter != 5*time.Second || len(g.FallbackOnStatuses) != 2 || g.FallbackOnStatuses[0] != 404 {
		t.Errorf("got settings %+v, want those of the resource, statuses sorted", g)
	}
	if len(s.Targets()) != 2 || s.Targets()[0].Model != "a" {
		t.Errorf("got targets %v, want a and b", s.Targets())
	}
}

func TestDefaultsApplyWhereNothingIsSaid(t *testing.T) {
	s, _ := core.Compile(document(t, providerP, modelA, `routing/r {"strategy":"least_latency","targets":[{"model":"a"}]}`), core.Site{})
	g, _ := s.Group("r")
	if g.Retries != 1 || g.MaxFallbacks != -1 || g.RetryOn429 || g.WhenAllUnavailable != core.UnavailableTryAnyway || g.Deadline != 10*time.Minute || g.Latency.ProbeAfter != time.Minute {
		t.Errorf("routing: got %+v", g)
	}
	target := g.Members[0].Target
	if want := (core.Limits{Connect: 5 * time.Second, FirstToken: time.Minute, Idle: time.Minute, Attempt: 10 * time.Minute}); target.Limits != want {
		t.Errorf("limits: got %+v, want %+v", target.Limits, want)
	}
	if want := (core.CooldownPolicy{Failures: 3, Duration: 10 * time.Second, Max: 5 * time.Minute}); target.Cooldown != want {
		t.Errorf("cooldown: got %+v, want %+v", target.Cooldown, want)
	}
	a, _ := s.Group("a")
	if a.Leaves != 1 || a.Depth != 0 || a.Members[0].Target != target {
		t.Errorf("the model by itself: got %+v, want a group of the one target", a)
	}
	f, _ := core.Compile(document(t, providerP, modelA, routing("f", "a")), core.Site{})
	if g, _ := f.Group("f"); g.Latency.ProbeAfter != 0 {
		t.Errorf("a failover routing probes after %v, want never", g.Latency.ProbeAfter)
	}
}

func TestModelsTimeoutsStandOverTheProviders(t *testing.T) {
	s, faults := core.Compile(document(t,
		`provider/p {"kind":"openai","base_url":"http://up","timeouts":{"connect":"1s","idle":"2s","attempt":"0s"}}`,
		`model/a {"provider":"p","upstream_model":"m","timeouts":{"idle":"7s"},"cooldown":{"failures":1,"duration":"0s"}}`), core.Site{})
	wantFaults(t, "timeouts", faults)
	target := s.Targets()[0]
	if want := (core.Limits{Connect: time.Second, FirstToken: time.Minute, Idle: 7 * time.Second, Attempt: 0}); target.Limits != want {
		t.Errorf("got %+v, want %+v", target.Limits, want)
	}
	if target.Cooldown.Failures != 1 || target.Cooldown.Duration != 0 {
		t.Errorf("got %+v, want one failure and no cooldown", target.Cooldown)
	}
}

func TestDanglingTargetIsLeftOutAndReported(t *testing.T) {
	s, faults := core.Compile(document(t, providerP, modelA, modelB, routing("r", "a", "ghost", "b"), routing("all", "ghost")), core.Site{})
	wantFaults(t, "a dangling target", faults,
		"routing/all#/targets targets reject",
		"routing/all#/targets/0/model reference degrade",
		"routing/r#/targets/1/model reference degrade")
	if g, ok := s.Group("r"); !ok || members(g) != "a b" {
		t.Errorf("r: got %v, want it to serve a and b", g)
	}
	if _, ok := s.Group("all"); ok {
		t.Error("a routing without any target is served, want it left out")
	}
}

func TestWhatARejectedResourceCarriesFallsWithIt(t *testing.T) {
	s, faults := core.Compile(document(t,
		`provider/bad {"kind":"openai","base_url":"ftp://x"}`, providerP, modelA,
		`model/lost {"provider":"bad","upstream_model":"m"}`,
		`model/orphan {"provider":"nobody","upstream_model":"m"}`,
		routing("r", "lost", "a")), core.Site{})
	wantFaults(t, "a bad provider", faults,
		"model/lost#/provider reference reject",
		"model/orphan#/provider reference reject",
		"provider/bad#/base_url scheme reject",
		"routing/r#/targets/0/model reference degrade")
	if got := strings.Join(s.Names(), " "); got != "a r" {
		t.Errorf("got names %q, want %q", got, "a r")
	}
}

func TestRoutingMayNotHaveAModelsName(t *testing.T) {
	s, faults := core.Compile(document(t, providerP, modelA, modelB, routing("a", "b"), routing("r", "a")), core.Site{})
	wantFaults(t, "one name for two", faults, "routing/a#/id unique reject")
	if g, _ := s.Group("a"); members(g) != "a" {
		t.Errorf("got %s, want the model to keep its name", members(g))
	}
	if g, _ := s.Group("r"); g.Depth != 1 {
		t.Errorf("got depth %d, want r to mean the model", g.Depth)
	}
}

func TestCycleRejectsEveryRoutingOfTheRing(t *testing.T) {
	for _, tc := range []struct {
		name      string
		resources []string
		faults    []string
		names     string
	}{
		{"on itself", []string{routing("x", "x")}, []string{"routing/x#/targets/0/model cycle reject"}, "a"},
		{"on itself beside a model", []string{routing("x", "a", "x")}, []string{"routing/x#/targets/1/model cycle reject"}, "a"},
		{"of two", []string{routing("x", "a", "y"), routing("y", "x", "a")},
			[]string{"routing/x#/targets/1/model cycle reject", "routing/y#/targets/0/model cycle reject"}, "a"},
		{"of three", []string{routing("x", "y"), routing("y", "a", "z"), routing("z", "x")},
			[]string{"routing/x#/targets/0/model cycle reject", "routing/y#/targets/1/model cycle reject", "routing/z#/targets/0/model cycle reject"}, "a"},
		{"reached from outside", []string{routing("before", "x", "a"), routing("x", "y"), routing("y", "x"), routing("zafter", "x", "a")},
			[]string{"routing/before#/targets/0/model reference degrade", "routing/x#/targets/0/model cycle reject",
				"routing/y#/targets/0/model cycle reject", "routing/zafter#/targets/0/model reference degrade"}, "a before zafter"},
		{"two rings that share a routing", []string{routing("x", "y", "z"), routing("y", "x"), routing("z", "x")},
			[]string{"routing/x#/targets/0/model cycle reject", "routing/y#/targets/0/model cycle reject", "routing/z#/targets/0/model cycle reject"}, "a"},
	} {
		s, faults := core.Compile(document(t, append(tc.resources, providerP, modelA)...), core.Site{})
		if got := strings.Join(s.Names(), " "); got != tc.names {
			t.Errorf("%s: got names %q, want %q", tc.name, got, tc.names)
		}
		wantFaults(t, tc.name, faults, tc.faults...)
	}
}

func TestCycleIsShownWhole(t *testing.T) {
	_, faults := core.Compile(document(t, providerP, modelA, routing("x", "y"), routing("y", "x")), core.Site{})
	if want := "routings refer to each other in a cycle: x → y → x"; len(faults) == 0 || faults[0].Message != want {
		t.Errorf("got %v, want message %q", faults, want)
	}
}

func TestNestingDeeperThanTheMaximumIsLeftOut(t *testing.T) {
	chain := []string{providerP, modelA, routing("r1", "a")}
	for i, id := range []string{"r2", "r3", "r4", "r5"} {
		chain = append(chain, routing(id, []string{"r1", "r2", "r3", "r4"}[i], "a"))
	}
	s, faults := core.Compile(document(t, chain...), core.Site{})
	wantFaults(t, "a chain of five", faults, "routing/r5#/targets/0/model reference degrade")
	r4, _ := s.Group("r4")
	r5, _ := s.Group("r5")
	if r4.Depth != core.MaxDepth || members(r5) != "a" {
		t.Errorf("got r4 of depth %d and r5 with %s, want depth %d and only a", r4.Depth, members(r5), core.MaxDepth)
	}
}

func TestRoutingOfTooManyLeavesIsRejected(t *testing.T) {
	models := func(n int) []string {
		var out []string
		for i := range n {
			out = append(out, fmt.Sprint("m", i))
		}
		return out
	}
	resources := []string{providerP, routing("half", models(512)...), routing("other", models(512)...), routing("full", "half", "other"), routing("over", "half", "m0", "other"),
		routing("twice", "full", "half"), routing("around", "over", "m1"), routing("flat", models(1024)...), routing("toowide", models(1025)...)}
	for _, m := range models(1025) {
		resources = append(resources, "model/"+m+` {"provider":"p","upstream_model":"u"}`)
	}
	s, faults := core.Compile(document(t, resources...), core.Site{})
	wantFaults(t, "too many leaves", faults,
		"routing/around#/targets/0/model reference degrade", "routing/over#/targets leaves reject", "routing/toowide#/targets leaves reject", "routing/twice#/targets leaves reject")
	for id, want := range map[string]int{"full": 1024, "flat": 1024, "around": 1} {
		if g, ok := s.Group(id); !ok || g.Leaves != want {
			t.Errorf("%s: got %+v, want it served with %d leaves", id, g, want)
		}
	}
	if len(faults) == 4 && !strings.Contains(faults[3].Message, "1536") {
		t.Errorf("got message %q, want it to tell the number 1536", faults[3].Message)
	}
}

func TestRoutingFaultsPointAtTheirField(t *testing.T) {
	for body, want := range map[string][]string{
		`{"strategy":"fastest","targets":[{"model":"a"}]}`:                                               {"/strategy enum reject"},
		`{"strategy":"failover","targets":[]}`:                                                           {"/targets targets reject"},
		`{"strategy":"failover","targets":[{"model":"a"}],"latency":{}}`:                                 {"/latency strategy reject"},
		`{"strategy":"failover","targets":[{"model":"a"}],"when_all_unavailable":"pray"}`:                {"/when_all_unavailable enum reject"},
		`{"strategy":"failover","targets":[{"model":"a"}],"retries":-1,"max_fallbacks":-1}`:              {"/max_fallbacks minimum reject", "/retries minimum reject"},
		`{"strategy":"failover","targets":[{"model":"a"}],"fallback_on_statuses":[404,500]}`:             {"/fallback_on_statuses/1 range reject"},
		`{"strategy":"round_robin","targets":[{"model":"a","weight":0},{"model":"b","weight":0}]}`:       {"/targets weights reject"},
		`{"strategy":"round_robin","targets":[{"model":"a","weight":-1},{"model":"b"}]}`:                 {"/targets/0/weight minimum degrade"},
		`{"strategy":"failover","targets":[{"model":"a"},{"model":"b"},{"model":"a"}]}`:                  {"/targets/2/model unique degrade"},
		`{"strategy":"failover","targets":[null,{"model":"a"}]}`:                                         {"/targets/0/model reference degrade"},
		`{"strategy":"round_robin","targets":[{"model":"a","weight":0},{"model":"b","weight":1}]}`:       nil,
		`{"strategy":"least_latency","targets":[{"model":"a"}],"latency":null,"deadline":"0s"}`:          nil,
		`{"strategy":"failover","targets":[{"model":"a"}],"fallback_on_statuses":[400,499],"retries":0}`: nil,
	} {
		_, faults := core.Compile(document(t, providerP, modelA, modelB, "routing/r "+body), core.Site{})
		for i := range want {
			want[i] = "routing/r#" + want[i]
		}
		wantFaults(t, body, faults, want...)
	}
}

func TestModelFaultsPointAtTheirField(t *testing.T) {
	for body, want := range map[string][]string{
		`{"provider":"p"}`: {"model/m#/upstream_model required reject"},
		`{"provider":"p","upstream_model":"m","cooldown":{"failures":0}}`: {"model/m#/cooldown/failures minimum reject"},
		`{"upstream_model":""}`: {"model/m#/provider reference reject", "model/m#/upstream_model required reject"},
	} {
		_, faults := core.Compile(document(t, providerP, "model/m "+body), core.Site{})
		wantFaults(t, body, faults, want...)
	}
}

func TestHugeWeightsDoNotOverflow(t *testing.T) {
	doc := document(t, providerP, modelA, modelB, routing("r", "a", "b"))
	huge := math.MaxInt
	doc.Routings["r"].Targets[0].Weight, doc.Routings["r"].Targets[1].Weight = &huge, &huge
	_, faults := core.Compile(doc, core.Site{})
	wantFaults(t, "two greatest weights", faults)
}
