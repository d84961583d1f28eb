package core_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/core"
)

// compileRouting compiles routing r over model a with the given further members.
func compileRouting(t *testing.T, members string) (*core.Group, []core.Fault) {
	t.Helper()
	s, faults := core.Compile(document(t, providerP, modelA, modelB, routing("n", "b"), `routing/r {`+members+`}`), core.Site{})
	g, _ := s.Group("r")
	return g, faults
}

func TestLatencyHasItsDefaults(t *testing.T) {
	for members, want := range map[string]core.LatencyPolicy{
		`"strategy":"least_latency"`:              {Selection: core.SelectionAdaptive, Sharpness: 6, Inflight: core.InflightNormalized, ProbeAfter: time.Minute},
		`"strategy":"least_latency","latency":{}`: {Selection: core.SelectionAdaptive, Sharpness: 6, Inflight: core.InflightNormalized, ProbeAfter: time.Minute},
		`"strategy":"least_latency","latency":{"selection":"strict","sharpness":0.5,"inflight":"off","probe_after":"0s"}`: {Selection: core.SelectionStrict, Sharpness: 0.5, Inflight: core.InflightOff},
		`"strategy":"least_latency","latency":{"selection":"balanced","inflight":"absolute"}`:                             {Selection: core.SelectionBalanced, Sharpness: 6, Inflight: core.InflightAbsolute, ProbeAfter: time.Minute},
		`"strategy":"least_busy"`: {},
	} {
		g, faults := compileRouting(t, members+`,"targets":[{"model":"a"}]`)
		wantFaults(t, members, faults)
		if g.Latency != want {
			t.Errorf("%s: got %+v, want %+v", members, g.Latency, want)
		}
	}
}

func TestKeysAreCompiledWithCanonicalHeaders(t *testing.T) {
	for source, want := range map[string]core.HashOn{
		`{"source":"header","name":"x-user-ID"}`: {Source: core.HashHeader, Name: "X-User-Id"},
		`{"source":"cookie","name":"sId"}`:       {Source: core.HashCookie, Name: "sId"},
		`{"source":"api_key"}`:                   {Source: core.HashAPIKey},
		`{"source":"client_ip"}`:                 {Source: core.HashClientIP},
	} {
		g, faults := compileRouting(t, `"strategy":"consistent_hash","targets":[{"model":"a"}],"hash_on":`+source)
		wantFaults(t, source, faults)
		if g.HashOn == nil || *g.HashOn != want || g.StickyOn != nil {
			t.Errorf("hash_on %s: got %+v and sticky_on %+v, want %+v and none", source, g.HashOn, g.StickyOn, want)
		}
		g, faults = compileRouting(t, `"strategy":"least_busy","targets":[{"model":"a"}],"sticky_on":`+source)
		wantFaults(t, source, faults)
		if g.StickyOn == nil || *g.StickyOn != want || g.HashOn != nil {
			t.Errorf("sticky_on %s: got %+v and hash_on %+v, want %+v and none", source, g.StickyOn, g.HashOn, want)
		}
	}
}

func TestKeysAreThoseOfTheRoutingsBelowToo(t *testing.T) {
	inner := func(id, header string) string {
		return fmt.Sprintf(`routing/%s {"strategy":"consistent_hash","targets":[{"model":"a"}],"hash_on":{"source":"header","name":%q}}`, id, header)
	}
	sticky := func(id, cookie string) string {
		return fmt.Sprintf(`routing/%s {"strategy":"least_busy","targets":[{"model":"a"}],"sticky_on":{"source":"cookie","name":%q}}`, id, cookie)
	}
	s, faults := core.Compile(document(t, providerP, modelA, inner("x", "X-User"), inner("y", "x-user"), sticky("z", "s"), routing("mid", "x", "z"), routing("out", "a", "mid", "y")), core.Site{})
	wantFaults(t, "the same keys everywhere", faults)
	g, _ := s.Group("out")
	if g.HashOn == nil || g.HashOn.Name != "X-User" || g.StickyOn == nil || g.StickyOn.Name != "s" {
		t.Errorf("got hash_on %+v and sticky_on %+v, want those of the routings below", g.HashOn, g.StickyOn)
	}
	_, faults = core.Compile(document(t, providerP, modelA, inner("x", "X-User"), inner("y", "X-Team"), routing("out", "x", "y")), core.Site{})
	wantFaults(t, "two keys side by side", faults, "routing/out#/targets one-key reject")
	_, faults = core.Compile(document(t, providerP, modelA, sticky("z", "s"),
		`routing/out {"strategy":"least_latency","targets":[{"model":"z"}],"sticky_on":{"source":"api_key"}}`), core.Site{})
	wantFaults(t, "another session below", faults, "routing/out#/targets one-key reject")
}

func TestCostIsAskedForWhereverItCounts(t *testing.T) {
	s, _ := core.Compile(document(t, providerP, modelA, `routing/c {"strategy":"least_cost","targets":[{"model":"a"}]}`, routing("out", "c"), routing("f", "a")), core.Site{})
	for id, want := range map[string]bool{"c": true, "out": true, "f": false, "a": false} {
		if g, _ := s.Group(id); g.ByCost != want {
			t.Errorf("%s: got ByCost %v, want %v", id, g.ByCost, want)
		}
	}
}

func TestTagsAreSortedAndSetApartAtEveryLevel(t *testing.T) {
	g, faults := compileRouting(t, `"strategy":"failover","targets":[{"model":"a","tags":["us","eu","us"]},{"model":"n"}]`)
	wantFaults(t, "tags", faults)
	if got := fmt.Sprint(g.Members[0].Tags, g.Members[1].Tags, g.Tagged); got != "[eu us] [] true" {
		t.Errorf("got %s, want [eu us] [] true", got)
	}
	for targets, want := range map[string]bool{`{"model":"a"},{"model":"n"}`: false, `{"model":"n","tags":["x"]}`: true} {
		if g, _ := compileRouting(t, `"strategy":"failover","targets":[`+targets+`]`); g.Tagged != want {
			t.Errorf("%s: got Tagged %v, want %v", targets, g.Tagged, want)
		}
	}
	s, _ := core.Compile(document(t, providerP, modelA, `routing/in {"strategy":"failover","targets":[{"model":"a","tags":["x"]}]}`, routing("out", "in")), core.Site{})
	if g, _ := s.Group("out"); !g.Tagged {
		t.Error("a routing over one with tags is not Tagged")
	}
	if g, _ := s.Group("a"); fmt.Sprint(g.Members[0].Tags) != "[default]" {
		t.Errorf("a model by itself has tags %v, want it to serve any request", g.Members[0].Tags)
	}
}

func TestTargetWithABadTagIsLeftOut(t *testing.T) {
	g, faults := compileRouting(t, `"strategy":"failover","targets":[{"model":"b","tags":["ok","a,b"]},{"model":"a"}]`)
	wantFaults(t, "a bad tag", faults, "routing/r#/targets/0/tags/1 tag degrade")
	if members(g) != "a" {
		t.Errorf("got %s, want a only: b would serve what it is not for", members(g))
	}
}

func TestCapabilitiesTellNoneFromUnknown(t *testing.T) {
	need := core.CapabilitiesOf(core.CapabilityVision, core.CapabilityTools)
	for members, missing := range map[string]string{
		`"labels":{}`:               "[]",
		`"capabilities":[]`:         "[tools vision]",
		`"capabilities":["vision"]`: "[tools]",
		`"capabilities":["vision","tools","audio","files","json_schema","reasoning"]`: "[]",
	} {
		target, faults := compileModel(t, members)
		wantFaults(t, members, faults)
		if got := fmt.Sprint(target.Capabilities.Missing(need).List()); got != missing {
			t.Errorf("%s lacks %s, want %s", members, got, missing)
		}
	}
	target, faults := compileModel(t, `"capabilities":["smell","tools"]`)
	wantFaults(t, "a capability of a later version", faults, "model/m#/capabilities/0 enum notice")
	if got := fmt.Sprint(target.Capabilities.List(), target.Capabilities.Declared); got != "[tools] true" {
		t.Errorf("got %s, want the known one, declared", got)
	}
}

func TestCostOfNothingIsAPrice(t *testing.T) {
	for members, want := range map[string]bool{`"labels":{}`: false, `"cost":{"input_per_1m":0,"output_per_1m":0}`: true} {
		if target, _ := compileModel(t, members); target.Priced != want {
			t.Errorf("%s: got Priced %v, want %v", members, target.Priced, want)
		}
	}
}

func TestConcurrencyIsUnknownUnlessGiven(t *testing.T) {
	for members, want := range map[string]int{`"labels":{}`: 0, `"max_concurrency":7`: 7} {
		if target, _ := compileModel(t, members); target.MaxConcurrency != want {
			t.Errorf("%s: got %d, want %d", members, target.MaxConcurrency, want)
		}
	}
}
