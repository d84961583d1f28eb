package rank

import (
	"slices"
	"strings"
	"testing"
	"testing/quick"
	"time"

	"github.com/sluice-gateway/sluice/core"
)

// tagged is a failover group over members; each target's name gives its tags, as in "a:eu,default".
func tagged(members ...core.Member) *core.Group {
	g := group("g", core.StrategyFailover, members...)
	for _, m := range members {
		g.Tagged = g.Tagged || len(m.Tags) > 0 || (m.Group != nil && m.Group.Tagged)
	}
	return g
}

func bears(m core.Member, tags ...string) core.Member {
	m.Tags = tags
	return m
}

func TestTagsChooseTheTargets(t *testing.T) {
	one := func(name string, tags ...string) core.Member { return bears(member(target(name), 1, 0), tags...) }
	inner := tagged(one("x", "fast"), one("y"), one("z", "default"))
	for _, c := range []struct {
		name    string
		group   *core.Group
		tags    []string
		want    string
		tagging Tagging
	}{
		{"no tags anywhere", tagged(one("a"), one("b")), nil, "a b", TaggingAll},
		{"none asked", tagged(one("a", "eu"), one("b"), one("c", "us", "default")), nil, "b c", TaggingOpen},
		{"none asked and every target has its own", tagged(one("a", "eu"), one("b", "us")), nil, "a b", TaggingAll},
		{"one asked", tagged(one("a", "eu"), one("b"), one("c", "us", "eu"), one("d", "default")), []string{"eu"}, "a c", TaggingNamed},
		{"any of two", tagged(one("a", "eu"), one("b"), one("c", "us"), one("d", "default")), []string{"us", "eu"}, "a c", TaggingNamed},
		{"nobody bears it", tagged(one("a", "eu"), one("b"), one("c", "us", "default"), one("d", "default")), []string{"jp"}, "c d", TaggingDefault},
		{"nobody bears it and there is no default", tagged(one("a", "eu"), one("b")), []string{"jp"}, "", TaggingDefault},
		{"asked where there are no tags", tagged(one("a")), []string{"jp"}, "", TaggingDefault},
		{"default asked by name", tagged(one("a", "eu"), one("b", "default")), []string{"default"}, "b", TaggingNamed},
		{"a spare that bears it", tagged(one("a", "us"), bears(member(target("s"), 0, 0), "eu")), []string{"eu"}, "s", TaggingNamed},
		{"in a routing below", tagged(one("a"), nested(inner, 1, 0)), []string{"fast"}, "x", TaggingNamed},
		{"in a routing below, none asked", tagged(one("a", "eu"), nested(inner, 1, 0)), nil, "y z", TaggingOpen},
		{"a routing's tag is its targets'", tagged(one("a"), bears(nested(inner, 1, 0), "eu")), []string{"eu"}, "x y z", TaggingNamed},
		{"a routing's tag closes its targets", tagged(one("a"), bears(nested(inner, 1, 0), "eu")), nil, "a z", TaggingOpen},
		{"the default of a routing below", tagged(one("a"), nested(inner, 1, 0)), []string{"jp"}, "z", TaggingDefault},
	} {
		f := newFixture(t)
		f.view.Need.Tags, f.view.Trace = c.tags, new(Trace)
		if got := f.peek(c.group); got != c.want || f.view.Trace.Tagging != c.tagging {
			t.Errorf("%s: got %q by %s, want %q by %s", c.name, got, f.view.Trace.Tagging, c.want, c.tagging)
		}
	}
}

func TestCapabilitiesLeaveOutWhatDeclaresAndLacksThem(t *testing.T) {
	can := func(name string, list ...core.Capability) core.Member {
		m := member(target(name), 1, 0)
		m.Target.Capabilities = core.CapabilitiesOf(list...)
		return m
	}
	silent := member(target("silent"), 1, 0)
	g := tagged(can("none"), can("tools", core.CapabilityTools), can("both", core.CapabilityTools, core.CapabilityVision), silent)
	f := newFixture(t)
	f.want(g, "none tools both silent", "nothing is needed")
	f.view.Need.Capabilities = core.CapabilitiesOf(core.CapabilityTools)
	f.want(g, "tools both silent", "tools")
	f.view.Need.Capabilities = core.CapabilitiesOf(core.CapabilityTools, core.CapabilityVision)
	f.want(g, "both silent", "tools and vision")
}

// A picture must not send a request for one region to another.
func TestCapabilitiesDoNotWidenTags(t *testing.T) {
	blind, sees := bears(member(target("blind"), 1, 0), "eu"), bears(member(target("sees"), 1, 0), "default")
	blind.Target.Capabilities = core.CapabilitiesOf()
	f := newFixture(t)
	f.view.Need = Need{Tags: []string{"eu"}, Capabilities: core.CapabilitiesOf(core.CapabilityVision)}
	f.want(tagged(blind, sees), "", "the only target in the region cannot see")
}

func TestRoutingIsJudgedByTheTargetsThatAreLeft(t *testing.T) {
	for _, s := range []core.Strategy{core.StrategyLeastLatency, core.StrategyLeastCost, core.StrategyLeastBusy} {
		f := newFixture(t)
		blind, sees, other := priced("blind", 1, 1), priced("sees", 9, 9), priced("other", 5, 5)
		blind.Capabilities = core.CapabilitiesOf()
		f.answer("blind", 10, 5)
		f.answer("sees", 900, 5)
		f.answer("other", 500, 5)
		f.begin("sees", 9)
		f.begin("other", 5)
		inner := group("inner", s, member(blind, 1, 0), member(sees, 1, 0))
		g := group("g", s, nested(inner, 1, 0), member(other, 1, 0))
		f.view.Need.Capabilities = core.CapabilitiesOf(core.CapabilityVision)
		f.want(g, "other sees", string(s)+": its best target cannot see")
		inner.Members[1].Weight = 0
		f.want(g, "other sees", string(s)+": and a spare is all that is left")
	}
}

func TestFiltersAreExact(t *testing.T) {
	all := []string{"eu", "us", "default"}
	property := func(seed uint64) bool {
		g, _ := randomGroup(seed)
		r, f := seeded(seed), newFixture(t)
		pick := func() (tags []string) {
			for _, x := range all {
				if r.IntN(4) == 0 {
					tags = append(tags, x)
				}
			}
			return tags
		}
		var dress func(g *core.Group)
		dress = func(g *core.Group) {
			for i := range g.Members {
				m := &g.Members[i]
				m.Tags = pick()
				if m.Group != nil {
					dress(m.Group)
				} else if r.IntN(2) == 0 {
					m.Target.Capabilities = core.CapabilitiesOf(core.AllCapabilities()[:r.IntN(3)]...)
				}
			}
			g.Tagged = true
		}
		dress(g)
		f.view.Need = Need{Tags: pick(), Capabilities: core.CapabilitiesOf(core.AllCapabilities()[:r.IntN(3)]...)}
		got, want := f.order(g), passes(g, f.view.Need)
		if len(got) != len(want) || slices.ContainsFunc(got, func(c Choice) bool { return !want[c.Target] }) {
			t.Logf("seed %d: got %q for %+v, want %d targets", seed, show(got), f.view.Need, len(want))
			return false
		}
		return true
	}
	if err := quick.Check(property, &quick.Config{MaxCount: 2000}); err != nil {
		t.Error(err)
	}
}

// passes is the rule of tags and capabilities by its words, over the flat list of targets with all their tags.
func passes(g *core.Group, n Need) map[*core.Target]bool {
	type flat struct {
		target *core.Target
		tags   []string
	}
	var all []flat
	var flatten func(g *core.Group, around []string)
	flatten = func(g *core.Group, around []string) {
		for _, m := range g.Members {
			tags := slices.Concat(around, m.Tags)
			if m.Group != nil {
				flatten(m.Group, tags)
			} else {
				all = append(all, flat{m.Target, tags})
			}
		}
	}
	flatten(g, nil)
	keep := func(f func(flat) bool) []flat {
		return slices.DeleteFunc(slices.Clone(all), func(x flat) bool { return !f(x) })
	}
	isDefault := func(x flat) bool { return slices.Contains(x.tags, "default") }
	var left []flat
	if len(n.Tags) > 0 {
		left = keep(func(x flat) bool {
			return slices.ContainsFunc(x.tags, func(s string) bool { return slices.Contains(n.Tags, s) })
		})
		if len(left) == 0 {
			left = keep(isDefault)
		}
	} else if left = keep(func(x flat) bool { return len(x.tags) == 0 || isDefault(x) }); len(left) == 0 {
		left = all
	}
	out := map[*core.Target]bool{}
	for _, x := range left {
		if x.target.Capabilities.Missing(n.Capabilities).Empty() {
			out[x.target] = true
		}
	}
	return out
}

func TestTargetWhoseContextWindowIsTooSmallIsLeftOutByEveryStrategy(t *testing.T) {
	window := func(name string, tokens int) core.Member {
		m := member(target(name), 1, 0)
		m.Target.ContextWindow = tokens
		return m
	}
	for _, s := range strategies {
		for _, c := range []struct {
			tokens int
			want   []string
		}{
			{0, []string{"large", "small", "unknown"}},
			{4000, []string{"large", "small", "unknown"}},
			{4001, []string{"large", "unknown"}},
			{9001, []string{"unknown"}},
		} {
			f := newFixture(t)
			f.view.Tokens = c.tokens
			inner := group("inner", s, window("small", 4000), window("large", 9000))
			r, choices := f.explain(group("g", s, nested(inner, 1, 0), window("unknown", 0)))
			got := strings.Fields(strings.ReplaceAll(show(choices), "?", ""))
			if slices.Sort(got); !slices.Equal(got, c.want) {
				t.Errorf("%s with %d tokens: got %q, want %q", s, c.tokens, got, c.want)
			}
			if small := r.of("small"); c.tokens > 4000 && small.Excluded != ExcludedByContext {
				t.Errorf("%s with %d tokens: got %+v, want it to be excluded by %q", s, c.tokens, small, ExcludedByContext)
			}
		}
	}
}

// TestKindsLeaveOutWhatCannotAnswer: a kind decides after tags and before capabilities, and only where it matters.
func TestKindsLeaveOutWhatCannotAnswer(t *testing.T) {
	of := func(name string, kind core.ProviderKind) core.Member {
		m := member(target(name), 1, 0)
		m.Target.Upstream = &core.Upstream{Kind: kind}
		return m
	}
	inner := group("i", core.StrategyFailover, of("x", "anthropic"), of("y", core.ProviderOpenAI))
	inner.Kinds = []core.ProviderKind{"anthropic", core.ProviderOpenAI}
	g := group("g", core.StrategyFailover, of("a", core.ProviderOpenAI), nested(inner, 1, 0), of("b", core.ProviderAzureOpenAI))
	g.Kinds = []core.ProviderKind{"anthropic", core.ProviderAzureOpenAI, core.ProviderOpenAI}
	for _, c := range []struct {
		kinds []core.ProviderKind
		want  string
	}{
		{nil, "a x y b"}, {[]core.ProviderKind{"anthropic"}, "x"}, {[]core.ProviderKind{core.ProviderAzureOpenAI, core.ProviderOpenAI}, "a y b"},
		{[]core.ProviderKind{"anthropic", core.ProviderAzureOpenAI, core.ProviderOpenAI}, "a x y b"}, {[]core.ProviderKind{}, ""},
	} {
		f := newFixture(t)
		f.view.Need.Kinds, f.view.Trace = c.kinds, new(Trace)
		if got := f.peek(g); got != c.want {
			t.Errorf("%v: got %q, want %q", c.kinds, got, c.want)
		}
		for _, told := range f.view.Trace.Candidates {
			if told.Target != "" && (told.Excluded == ExcludedByEndpoint) == slices.Contains(strings.Fields(c.want), told.Target) {
				t.Errorf("%v: %s is said to be excluded by %q", c.kinds, told.Target, told.Excluded)
			}
		}
	}
}

func TestARequestThatIsNoSampleClaimsNoProbe(t *testing.T) {
	f := newFixture(t)
	known, unknown := target("a"), target("b")
	g := group("g", core.StrategyLeastLatency, member(known, 1, 0), member(unknown, 1, 0))
	f.view.Board.Succeed(known.Signal, f.view.Class, time.Second, 0, f.view.Now)
	f.view.NoProbe = true
	order := NewRanker().Order(nil, g, f.view)
	if len(order) != 2 || order[0].Target != known || order[0].Probe || !f.view.Board.Claim(unknown.Signal) {
		t.Errorf("got %+v, want the known target first and no probe", order)
	}
}
