package core_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/core"
)

// embeds is a sound block of semantic settings.
const embeds = `"semantic":{"embeddings":{"provider":"p","model":"e"}}`

// semantic spells a semantic routing over those targets.
func semantic(id, targets, more string) string {
	return `routing/` + id + ` {"strategy":"semantic","targets":[` + targets + `],` + more + `}`
}

func TestSemanticRoutingHasItsDefaults(t *testing.T) {
	g, faults := compileRouting(t, `"strategy":"semantic","targets":[{"model":"a","examples":["x","y"]},{"model":"n","catchall":true}],`+embeds)
	wantFaults(t, "defaults", faults)
	want := core.SemanticPolicy{OnFailure: core.EmbeddingFallback, Failover: core.FailoverCleared, Fallback: 1, Catchall: true}
	want.Embeddings = core.EmbeddingPolicy{Upstream: g.Semantic.Embeddings.Upstream, Model: "e", Timeout: 3 * time.Second}
	if *g.Semantic != want || g.Embeddings == nil || *g.Embeddings != want.Embeddings || want.Embeddings.Upstream.ID != "p" {
		t.Errorf("got %+v and embeddings %+v, want %+v", *g.Semantic, g.Embeddings, want)
	}
	if m := g.Members[0]; !slices.Equal(m.Examples, []string{"x", "y"}) || !math.IsInf(m.Threshold, -1) {
		t.Errorf("got examples %q and threshold %v, want x, y and -Inf", m.Examples, m.Threshold)
	}
	if m := g.Members[1]; m.Examples != nil {
		t.Errorf("the catchall has the examples %q, want none", m.Examples)
	}
	g, faults = compileRouting(t, `"strategy":"semantic","targets":[{"model":"a","examples":[],"catchall":true}],`+embeds)
	wantFaults(t, "an empty list", faults)
	if m := g.Members[0]; m.Examples != nil {
		t.Errorf("an empty list came out as %#v, want nil", m.Examples)
	}
}

func TestSemanticSettingsAreCompiled(t *testing.T) {
	g, faults := compileRouting(t, `"strategy":"semantic","targets":[{"model":"a","examples":["x"]},{"model":"n","examples":["y"],"threshold":-0.5}],
		"semantic":{"embeddings":{"provider":"p","model":"e","endpoint":"https://h/e?v=1","dimensions":16384,"timeout":"1ms"},"threshold":0,"on_embedding_failure":"fail","failover":"none","expose_scores":true}`)
	wantFaults(t, "every setting", faults)
	want := core.SemanticPolicy{
		Embeddings: core.EmbeddingPolicy{Upstream: g.Embeddings.Upstream, URL: "https://h/e?v=1", Model: "e", Dimensions: 16384, Timeout: time.Millisecond},
		OnFailure:  core.EmbeddingFail, Failover: core.FailoverNone, Expose: true,
	}
	if *g.Semantic != want {
		t.Errorf("got %+v, want %+v", *g.Semantic, want)
	}
	if a, n := g.Members[0].Threshold, g.Members[1].Threshold; a != 0 || n != -0.5 {
		t.Errorf("got the thresholds %v and %v, want the routing's 0 and the target's own -0.5", a, n)
	}
	g, _ = compileRouting(t, `"strategy":"failover","targets":[{"model":"a"}]`)
	if g.Semantic != nil || g.Embeddings != nil || g.Score != nil {
		t.Errorf("a failover routing has semantic %v, embeddings %v and score %v", g.Semantic, g.Embeddings, g.Score)
	}
}

func TestTheFallbackIsTheCatchallWhereverOthersAreLeftOut(t *testing.T) {
	for targets, want := range map[string]struct {
		members  string
		fallback int
		catchall bool
		faults   []string
	}{
		`{"model":"a","examples":["x"]},{"model":"b","catchall":true}`:                                    {members: "a b", fallback: 1, catchall: true},
		`{"model":"b","catchall":true},{"model":"a","examples":["x"]}`:                                    {members: "b a", fallback: 0, catchall: true},
		`{"model":"a","examples":["x"]},{"model":"b","examples":["y"]}`:                                   {members: "a b", fallback: 0},
		`{"model":"ghost","examples":["x"]},{"model":"a"},{"model":"b","catchall":true}`:                  {members: "b", fallback: 0, catchall: true, faults: []string{"/targets/0/model reference", "/targets/1/examples required"}},
		`{"model":"ghost","examples":["x"]},{"model":"a","examples":["x"]},{"model":"n","catchall":true}`: {members: "a n*", fallback: 1, catchall: true, faults: []string{"/targets/0/model reference"}},
		`{"model":"a","examples":["x"]},{"model":"ghost","catchall":true},{"model":"b","examples":["y"]}`: {members: "a b", fallback: 0, faults: []string{"/targets/1/model reference"}},
		`{"model":"a","catchall":true},{"model":"b","catchall":true,"examples":["y"]}`:                    {members: "a", fallback: 0, catchall: true, faults: []string{"/targets/1/catchall one-catchall"}},
		`{"model":"a","examples":["x"]},{"model":"a","catchall":true},{"model":"b","examples":["y"]}`:     {members: "a b", fallback: 0, faults: []string{"/targets/1/model unique"}},
	} {
		g, faults := compileRouting(t, `"strategy":"semantic","targets":[`+targets+`],`+embeds)
		var expected []string
		for _, f := range want.faults {
			expected = append(expected, "routing/r#"+f+" degrade")
		}
		wantFaults(t, targets, faults, expected...)
		if members(g) != want.members || g.Semantic.Fallback != want.fallback || g.Semantic.Catchall != want.catchall {
			t.Errorf("%s: got %q, fallback %d, catchall %v; want %+v", targets, members(g), g.Semantic.Fallback, g.Semantic.Catchall, want)
		}
	}
}

// A prompt that is like the one that is left out would be sent to another, which is what failover none forbids.
func TestARoutingThatKeepsPromptsToTheirMatchIsServedWholeOrNotAtAll(t *testing.T) {
	const none = `"semantic":{"embeddings":{"provider":"p","model":"e"},"failover":"none"}`
	for targets, degrades := range map[string]string{
		`{"model":"a","examples":["x"]},{"model":"ghost","examples":["y"]},{"model":"n","catchall":true}`:         "/targets/1/model reference",
		`{"model":"a","examples":["x"]},{"model":"b"},{"model":"n","catchall":true}`:                              "/targets/1/examples required",
		`{"model":"a","examples":["x"]},{"model":"b","examples":["y"]},{"model":"ghost","catchall":true}`:         "/targets/2/model reference",
		`{"model":"a","examples":["x"]},{"model":"a","examples":["y"]},{"model":"n","catchall":true}`:             "/targets/1/model unique",
		`{"model":"a","examples":["x"]},{"model":"b","examples":["y"],"tags":[""]},{"model":"n","catchall":true}`: "/targets/1/tags/0 tag",
	} {
		g, faults := compileRouting(t, `"strategy":"semantic","targets":[`+targets+`],`+none)
		wantFaults(t, targets, faults, "routing/r#/semantic/failover whole reject", "routing/r#"+degrades+" degrade")
		if g != nil {
			t.Errorf("%s: %q is served", targets, members(g))
		}
	}
	g, faults := compileRouting(t, `"strategy":"semantic","targets":[{"model":"a","examples":["x"]},{"model":"n","catchall":true}],`+none)
	wantFaults(t, "all can be served", faults)
	if members(g) != "a n*" || g.Semantic.Failover != core.FailoverNone {
		t.Errorf("got %q", members(g))
	}
}

func TestATargetThatCannotBeMatchedIsLeftOut(t *testing.T) {
	many := `"x"` + strings.Repeat(`,"y"`, core.MaxExamples)
	for target, want := range map[string]string{
		`{"model":"b"}`:                                    "/targets/1/examples required",
		`{"model":"b","examples":[]}`:                      "/targets/1/examples required",
		`{"model":"b","examples":["x","\t\r\n\f "]}`:       "/targets/1/examples/1 blank",
		`{"model":"b","examples":[""]}`:                    "/targets/1/examples/0 blank",
		`{"model":"b","examples":[` + many + `]}`:          "/targets/1/examples max-items",
		`{"model":"b","examples":["x"],"threshold":1.001}`: "/targets/1/threshold range",
		`{"model":"b","examples":["x"],"threshold":-2}`:    "/targets/1/threshold range",
		`{"model":"b","catchall":true,"threshold":-2}`:     "/targets/1/threshold range",
	} {
		g, faults := compileRouting(t, `"strategy":"semantic","targets":[{"model":"a","examples":["x"]},`+target+`],`+embeds)
		wantFaults(t, target, faults, "routing/r#"+want+" degrade")
		if members(g) != "a" {
			t.Errorf("%s: got %q, want a only", target, members(g))
		}
	}
}

func TestSemanticSettingsThatCannotBeServedAreRefused(t *testing.T) {
	const targets = `"strategy":"semantic","targets":[{"model":"a","examples":["x"]}]`
	with := func(settings string) string {
		return targets + `,"semantic":{"embeddings":{"provider":"p","model":"e"},` + settings + `}`
	}
	at := func(embeddings string) string { return targets + `,"semantic":{"embeddings":{` + embeddings + `}}` }
	for members, want := range map[string][]string{
		targets:                                                                {"/semantic required"},
		targets + `,"semantic":{}`:                                             {"/semantic/embeddings required"},
		with(`"threshold":1.5`):                                                {"/semantic/threshold range"},
		with(`"threshold":-1.5`):                                               {"/semantic/threshold range"},
		with(`"on_embedding_failure":"panic"`):                                 {"/semantic/on_embedding_failure enum"},
		with(`"failover":"all"`):                                               {"/semantic/failover enum"},
		at(`"model":"e"`):                                                      {"/semantic/embeddings/provider reference"},
		at(`"provider":"ghost","model":"e"`):                                   {"/semantic/embeddings/provider reference"},
		at(`"provider":"broken","model":"e"`):                                  {"/semantic/embeddings/provider reference"},
		at(`"provider":"p"`):                                                   {"/semantic/embeddings/model required"},
		at(`"provider":"p","endpoint":"http://h/e"`):                           {"/semantic/embeddings/model required"},
		at(`"provider":"p","model":"e","dimensions":0`):                        {"/semantic/embeddings/dimensions range"},
		at(`"provider":"p","model":"e","dimensions":16385`):                    {"/semantic/embeddings/dimensions range"},
		at(`"provider":"p","model":"e","timeout":"0s"`):                        {"/semantic/embeddings/timeout minimum"},
		at(`"provider":"p","model":"e","endpoint":"ftp://h/e"`):                {"/semantic/embeddings/endpoint scheme"},
		at(`"provider":"p","model":"e","endpoint":"http:///e"`):                {"/semantic/embeddings/endpoint host"},
		at(`"provider":"p","model":"e","endpoint":"http://[::1"`):              {"/semantic/embeddings/endpoint url"},
		at(`"provider":"p","model":"e","endpoint":"http://u:p@h/e"`):           {"/semantic/embeddings/endpoint userinfo"},
		at(`"provider":"p","model":"e","endpoint":"http://h/e#"`):              {"/semantic/embeddings/endpoint url"},
		at(`"provider":"p","model":"e","endpoint":"http://169.254.169.254/e"`): {"/semantic/embeddings/endpoint reach"},
	} {
		s, faults := core.Compile(document(t, providerP, `provider/broken {"kind":"openai","base_url":"ftp://h"}`, modelA, `routing/r {`+members+`}`), core.Site{})
		expected := []string{"provider/broken#/base_url scheme reject"}
		for _, f := range want {
			expected = append(expected, "routing/r#"+f+" reject")
		}
		wantFaults(t, members, faults, expected...)
		if _, served := s.Group("r"); served {
			t.Errorf("%s: the routing is served", members)
		}
	}
}

func TestTheEndpointMustBeWithinTheOperatorsReach(t *testing.T) {
	reach, err := core.ParseReach([]string{"up.example"})
	if err != nil {
		t.Fatal(err)
	}
	for endpoint, want := range map[string][]string{
		"https://up.example/e": nil, "https://elsewhere.example/e": {"routing/r#/semantic/embeddings/endpoint reach reject"},
	} {
		doc := document(t, providerP, modelA, semantic("r", `{"model":"a","catchall":true}`, fmt.Sprintf(`"semantic":{"embeddings":{"provider":"p","model":"e","endpoint":%q}}`, endpoint)))
		_, faults := core.Compile(doc, core.Site{Reach: reach})
		wantFaults(t, endpoint, faults, want...)
	}
}

func TestSemanticFieldsOfAnotherStrategyAreRefused(t *testing.T) {
	g, faults := compileRouting(t, `"strategy":"failover","targets":[{"model":"a","examples":["x"],"threshold":0,"catchall":true}]`)
	wantFaults(t, "on the target", faults, "routing/r#/targets/0/catchall strategy degrade", "routing/r#/targets/0/examples strategy degrade", "routing/r#/targets/0/threshold strategy degrade")
	if m := g.Members[0]; m.Examples != nil || m.Threshold != 0 || g.Semantic != nil {
		t.Errorf("got the member %+v, want it served without what is not its strategy's", m)
	}
	_, faults = compileRouting(t, `"strategy":"failover","targets":[{"model":"a"}],`+embeds)
	wantFaults(t, "on the routing", faults, "routing/r#/semantic strategy reject")
	_, faults = compileRouting(t, `"strategy":"semantic","targets":[{"model":"a","catchall":true}],"profile":"f","latency":{},"sticky_on":{"source":"api_key"},`+embeds)
	wantFaults(t, "of others", faults, "routing/r#/latency strategy reject", "routing/r#/profile strategy reject", "routing/r#/sticky_on strategy reject")
}

func TestNestedRoutingsEmbedOnce(t *testing.T) {
	inner := func(id, more string) string {
		return semantic(id, `{"model":"a","examples":["x"]}`, `"semantic":{"embeddings":{"provider":"p","model":"e"`+more+`}}`)
	}
	s, faults := core.Compile(document(t, providerP, modelA, modelB, inner("x", ""), inner("y", `,"timeout":"3s"`), routing("mid", "x", "b"), routing("plain", "a"),
		semantic("out", `{"model":"mid","examples":["m"],"threshold":0.5},{"model":"y","examples":["y"]},{"model":"plain","catchall":true}`, embeds)), core.Site{})
	wantFaults(t, "the same embeddings everywhere", faults)
	out, _ := s.Group("out")
	mid, _ := s.Group("mid")
	x, _ := s.Group("x")
	plain, _ := s.Group("plain")
	if *out.Embeddings != *x.Embeddings || mid.Embeddings == nil || *mid.Embeddings != *x.Embeddings || mid.Semantic != nil || plain.Embeddings != nil {
		t.Errorf("embeddings of out %+v, mid %+v, x %+v, plain %+v", out.Embeddings, mid.Embeddings, x.Embeddings, plain.Embeddings)
	}
	if out.Depth != 3 || out.Members[0].Group != mid || out.Members[0].Threshold != 0.5 || out.Semantic.Fallback != 2 {
		t.Errorf("got %+v, want mid first with its own bar and plain to fall back on", out)
	}
	for more, what := range map[string]string{
		`,"dimensions":3`: "other dimensions", `,"timeout":"1s"`: "another timeout", `,"endpoint":"http://h/e"`: "another endpoint",
	} {
		_, faults = core.Compile(document(t, providerP, modelA, modelB, inner("x", ""), inner("y", more), routing("out", "x", "y")), core.Site{})
		wantFaults(t, what+" side by side", faults, "routing/out#/targets one-embedding reject")
		_, faults = core.Compile(document(t, providerP, modelA, inner("x", more), semantic("out", `{"model":"x","examples":["m"]}`, embeds)), core.Site{})
		wantFaults(t, what+" below", faults, "routing/out#/targets one-embedding reject")
	}
}
