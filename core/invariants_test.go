package core_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/quick"

	"github.com/sluice-gateway/sluice/core"
)

// randomDocument refers to everything, what is not there and itself included.
func randomDocument(seed uint64) *core.Document {
	r := rand.New(rand.NewPCG(seed, 3))
	doc := core.NewDocument()
	name := func(prefix string, n int) string { return fmt.Sprint(prefix, r.IntN(n)) }
	if r.IntN(4) > 0 {
		doc.Set(&core.Provider{ID: "p0", Kind: core.ProviderOpenAI, BaseURL: "http://h"})
	}
	for range r.IntN(4) {
		doc.Set(&core.Provider{ID: name("p", 3), Kind: core.ProviderOpenAI, BaseURL: pick(r, "http://h", "http://h", "http://h", "ftp://h", "")})
	}
	for range r.IntN(24) {
		doc.Set(&core.Model{ID: name("x", 12), Provider: pick(r, "p0", "p0", name("p", 3)), UpstreamModel: "m"})
	}
	for range r.IntN(16) {
		routing := &core.Routing{ID: name("x", 30), Strategy: pick(r, core.StrategyFailover, core.StrategySemantic, core.StrategyScored)}
		for range r.IntN(4) {
			weight := pick(r, 1, 1, 2, r.IntN(4)-1)
			routing.Targets = append(routing.Targets, core.RoutingTarget{Model: name("x", 26), Weight: &weight, Priority: r.IntN(3)})
		}
		randomSettings(r, routing)
		doc.Set(routing)
	}
	for range r.IntN(4) {
		doc.Set(randomProfile(r, name("f", 3)))
	}
	for range r.IntN(3) {
		doc.Set(&core.APIKey{ID: name("k", 3), KeySHA256: hashed(name("key", 2)), AllowedModels: []string{"*"}})
	}
	return doc
}

// pick returns one of the values, each as often.
func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

// randomNumber is now and then none, and seldom a sound one.
func randomNumber(r *rand.Rand) *float64 {
	x := pick(r, 0, 0.5, 1, -1, 2, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, math.SmallestNonzeroFloat64)
	return pick(r, nil, nil, nil, nil, nil, nil, nil, &x)
}

// randomSettings gives a routing the settings of its strategy, and now and then of another.
func randomSettings(r *rand.Rand, routing *core.Routing) {
	if routing.Strategy == core.StrategySemantic == (r.IntN(16) > 0) {
		dimensions := r.IntN(3) - 1
		routing.Semantic = &core.Semantic{
			Embeddings: pick(r, nil, &core.Embeddings{Provider: "p0", Model: "e"}, &core.Embeddings{Provider: "p0", Model: "e"}, &core.Embeddings{Provider: "p0", Model: "e"},
				&core.Embeddings{Provider: fmt.Sprint("p", r.IntN(3)), Model: pick(r, "", "e"), Dimensions: &dimensions, Endpoint: pick(r, "", "http://h/e", "://", "http://u@h")}),
			Threshold: randomNumber(r), Failover: pick(r, "", "", "", "", "", core.FailoverNone, "x"), OnEmbeddingFailure: pick(r, "", "", "", "", "", core.EmbeddingFail, "x"),
		}
		for i := range routing.Targets {
			t := &routing.Targets[i]
			t.Examples, t.Threshold, t.Catchall = pick(r, nil, []string{"a", "b"}, []string{"c"}, []string{"d"}, []string{"e", " "}), randomNumber(r), r.IntN(3) == 0
		}
	}
	if routing.Strategy == core.StrategyScored == (r.IntN(16) > 0) {
		routing.Profile = pick(r, "", "f0", "f1", "f2")
	}
}

func randomProfile(r *rand.Rand, id string) *core.Profile {
	duration := func() *core.Duration {
		d := core.Duration(r.IntN(9) - 1)
		return pick(r, nil, nil, &d)
	}
	weight := func() float64 {
		if x := randomNumber(r); x != nil {
			return *x
		}
		return 1
	}
	return &core.Profile{
		ID:          id,
		Optimize:    pick(r, nil, &core.Optimize{}, &core.Optimize{Latency: 1, Cost: 3}, &core.Optimize{Latency: weight(), Cost: weight()}),
		Missing:     pick(r, nil, nil, &core.Missing{Cost: pick(r, "", core.MissingExclude, core.MissingPenalize, "x")}),
		Require:     pick(r, nil, &core.Require{Capabilities: pick(r, nil, nil, []core.Capability{"tools"}, []core.Capability{"x"}), ContextWindow: r.IntN(8) - 1}),
		Limits:      pick(r, nil, &core.ProfileLimits{MaxCostUSD: randomNumber(r), MaxLatencyMS: randomNumber(r)}),
		Prefer:      pick(r, nil, &core.Prefer{P50: duration(), P90: duration(), P99: duration(), MinThroughput: randomNumber(r)}),
		Exploration: pick(r, 0, 0, 0, 0.5, 0.6, math.NaN()),
		ProbeAfter:  duration(),
	}
}

// checkMatching returns what is wrong with a group's settings of the semantic strategy.
func checkMatching(g *core.Group) error {
	s := g.Semantic
	if (s != nil) != (g.Strategy == core.StrategySemantic) {
		return fmt.Errorf("%s of strategy %s has the semantic settings %+v", g.ID, g.Strategy, s)
	}
	for i, m := range g.Members {
		if m.Group != nil && m.Group.Embeddings != nil && (g.Embeddings == nil || *g.Embeddings != *m.Group.Embeddings) {
			return fmt.Errorf("%s embeds by %+v, its member %s by %+v", g.ID, g.Embeddings, m.Group.ID, m.Group.Embeddings)
		}
		switch catchall := s != nil && s.Catchall && i == s.Fallback; {
		case s == nil && (m.Examples != nil || m.Threshold != 0):
			return fmt.Errorf("a member of %s has the examples %q and the bar %v", g.ID, m.Examples, m.Threshold)
		case s != nil && !catchall && len(m.Examples) == 0:
			return fmt.Errorf("member %d of %s has no examples and is not the catchall %d", i, g.ID, s.Fallback)
		case s != nil && !(m.Threshold <= 1) || math.IsNaN(m.Threshold):
			return fmt.Errorf("member %d of %s has the bar %v", i, g.ID, m.Threshold)
		}
	}
	if s != nil && (s.Fallback < 0 || s.Fallback >= len(g.Members) || *g.Embeddings != s.Embeddings || s.Embeddings.Upstream == nil || s.Embeddings.Timeout <= 0) {
		return fmt.Errorf("%s has %d members and the semantic settings %+v", g.ID, len(g.Members), s)
	}
	return nil
}

// checkScore returns what is wrong with a group's scoring.
func checkScore(g *core.Group) error {
	s := g.Score
	if (s != nil) != (g.Strategy == core.StrategyScored) {
		return fmt.Errorf("%s of strategy %s has the score %+v", g.ID, g.Strategy, s)
	}
	if s == nil {
		return nil
	}
	sum := 0.0
	for d, w := range s.Weights {
		if !(w >= 0) || s.Missing[d] == "" {
			return fmt.Errorf("%s weighs %v by %v and treats what is missing as %q", g.ID, core.Dimension(d), w, s.Missing[d])
		}
		sum += w
	}
	finite := func(xs ...float64) bool {
		return !slices.ContainsFunc(xs, func(x float64) bool { return !(x >= 0) || math.IsInf(x, 0) })
	}
	if math.Abs(sum-1) > 1e-12 || !finite(s.MaxCost, float64(s.MaxLatency), s.MinThroughput, s.Exploration, float64(s.ProbeAfter)+1) {
		return fmt.Errorf("%s has weights of sum %v in the score %+v", g.ID, sum, s)
	}
	return nil
}

// check returns what is wrong with a group, nested ones included.
func check(g *core.Group, nested int) error {
	leaves, depth, weight := 0, 0, 0
	if err := errors.Join(checkMatching(g), checkScore(g)); err != nil {
		return err
	}
	if nested > core.MaxDepth {
		return fmt.Errorf("%s is nested %d deep", g.ID, nested)
	}
	for _, m := range g.Members {
		weight += m.Weight
		switch {
		case (m.Target == nil) == (m.Group == nil):
			return fmt.Errorf("a member of %s is %+v, want either a target or a group", g.ID, m)
		case m.Target != nil:
			leaves++
		default:
			if err := check(m.Group, nested+1); err != nil {
				return err
			}
			leaves += m.Group.Leaves
			depth = max(depth, m.Group.Depth)
		}
		if m.Weight < 0 {
			return fmt.Errorf("a member of %s weighs %d", g.ID, m.Weight)
		}
	}
	if direct := g.Depth == 0; leaves != g.Leaves || (!direct && depth+1 != g.Depth) || weight == 0 || g.Depth > core.MaxDepth {
		return fmt.Errorf("%s has %d leaves and depth %d and weighs %d, and says %d and %d", g.ID, leaves, depth+1, weight, g.Leaves, g.Depth)
	}
	return nil
}

func TestWhateverTheDocumentWhatIsServedIsWhole(t *testing.T) {
	served := map[core.Strategy]int{}
	property := func(seed uint64) bool {
		doc := randomDocument(seed)
		s, faults := core.Compile(doc, core.Site{})
		rejected := map[core.Ref]bool{}
		for _, f := range faults {
			rejected[f.Ref] = rejected[f.Ref] || f.Severity == core.SeverityReject
		}
		for _, id := range s.Names() {
			g, ok := s.Group(id)
			if !ok || g.ID != id {
				t.Logf("seed %d: name %q leads to %+v", seed, id, g)
				return false
			}
			if err := check(g, 1); err != nil {
				t.Logf("seed %d: %v", seed, err)
				return false
			}
			served[g.Strategy]++
			if g.Embeddings != nil && g.Depth > 1 {
				served["nested semantic"]++
			}
		}
		for id := range doc.Routings {
			_, served := s.Group(id)
			_, model := doc.Models[id]
			if ref := (core.Ref{Kind: core.KindRouting, ID: id}); served == rejected[ref] && !model {
				t.Logf("seed %d: %v is served %v and rejected %v: %v", seed, ref, served, rejected[ref], shorts(faults))
				return false
			}
		}
		return slices.IsSorted(s.Names()) && slices.IsSortedFunc(faults, core.Fault.Compare)
	}
	if err := quick.Check(property, &quick.Config{MaxCount: 4000}); err != nil {
		t.Error(err)
	}
	for _, strategy := range []core.Strategy{core.StrategyFailover, core.StrategySemantic, core.StrategyScored, "nested semantic"} {
		if served[strategy] < 15 {
			t.Errorf("of strategy %[2]s only %[1]d groups were served: they test nothing", served[strategy], strategy)
		}
	}
}

func TestCompileTwiceIsTheSame(t *testing.T) {
	property := func(seed uint64) bool {
		first, before := core.Compile(randomDocument(seed), core.Site{})
		second, after := core.Compile(randomDocument(seed).Clone(), core.Site{})
		return reflect.DeepEqual(before, after) && reflect.DeepEqual(first, second)
	}
	if err := quick.Check(property, &quick.Config{MaxCount: 100}); err != nil {
		t.Error(err)
	}
}

// TestEveryReferenceThatDanglesWasNamedByReferrers: what a delete breaks is what the refusal of the delete tells, so
// that no field can refer to a resource without being in its way.
func TestEveryReferenceThatDanglesWasNamedByReferrers(t *testing.T) {
	broken := map[core.Kind]int{}
	property := func(seed uint64) bool {
		doc := randomDocument(seed)
		_, before := core.Compile(doc, core.Site{})
		for _, ref := range refs(doc) {
			without := doc.Clone()
			without.Delete(ref)
			_, after := core.Compile(without, core.Site{})
			for _, f := range core.NewFaults(before, after) {
				dangles := strings.Contains(f.Message, strconv.Quote(ref.ID)+" does not exist") || strings.HasSuffix(f.Message, "is called "+strconv.Quote(ref.ID))
				if !dangles {
					continue
				}
				broken[ref.Kind]++
				if !slices.Contains(doc.Referrers(ref), core.Referrer{Ref: f.Ref, Pointer: f.Pointer}) {
					t.Logf("seed %d: without %v there is the fault %v, but Referrers names only %v", seed, ref, f, doc.Referrers(ref))
					return false
				}
			}
		}
		return true
	}
	if err := quick.Check(property, &quick.Config{MaxCount: 300}); err != nil {
		t.Error(err)
	}
	for _, kind := range []core.Kind{core.KindProvider, core.KindModel, core.KindProfile, core.KindRouting} {
		if broken[kind] == 0 {
			t.Errorf("no reference to a %s was broken: the test tests nothing", kind)
		}
	}
}

// refs names every resource of the document.
func refs(doc *core.Document) []core.Ref {
	var out []core.Ref
	for kind, ids := range map[core.Kind][]string{
		core.KindProvider: sortedKeys(doc.Providers), core.KindModel: sortedKeys(doc.Models), core.KindProfile: sortedKeys(doc.Profiles),
		core.KindRouting: sortedKeys(doc.Routings), core.KindAPIKey: sortedKeys(doc.APIKeys),
	} {
		for _, id := range ids {
			out = append(out, core.Ref{Kind: kind, ID: id})
		}
	}
	return out
}

// A fault of one resource must not take down what does not refer to it.
func TestBadResourceSpoilsOnlyWhatRefersToIt(t *testing.T) {
	property := func(seed uint64) bool {
		doc := randomDocument(seed)
		doc.Set(&core.Provider{ID: "good", Kind: core.ProviderOpenAI, BaseURL: "http://good"})
		doc.Set(&core.Model{ID: "good", Provider: "good", UpstreamModel: "m"})
		doc.Set(&core.Routing{ID: "fine", Strategy: core.StrategyRoundRobin, Targets: []core.RoutingTarget{{Model: "good"}}})
		s, _ := core.Compile(doc, core.Site{})
		g, ok := s.Group("fine")
		return ok && members(g) == "good"
	}
	if err := quick.Check(property, &quick.Config{MaxCount: 200}); err != nil {
		t.Error(err)
	}
}

// large is a document of many models and routings, a tenth of them nested.
func large(models, routings int) *core.Document {
	doc := core.NewDocument()
	for i := range 10 {
		doc.Set(&core.Provider{ID: fmt.Sprint("p", i), Kind: core.ProviderOpenAI, BaseURL: fmt.Sprintf("https://host%d.example/v1", i), Auth: &core.Auth{Secret: fmt.Sprint("secret", i)}})
	}
	for i := range models {
		doc.Set(&core.Model{ID: fmt.Sprint("m", i), Provider: fmt.Sprint("p", i%10), UpstreamModel: fmt.Sprint("u", i)})
	}
	for i := range routings {
		r := &core.Routing{ID: fmt.Sprint("r", i), Strategy: core.StrategyLeastLatency}
		for j := range 8 {
			r.Targets = append(r.Targets, core.RoutingTarget{Model: fmt.Sprint("m", (i*8+j)%models)})
		}
		if i%10 == 1 {
			r.Targets = append(r.Targets, core.RoutingTarget{Model: fmt.Sprint("r", i-1)})
		}
		doc.Set(r)
	}
	return doc
}

func TestLargeDocumentCompilesWhole(t *testing.T) {
	s, faults := core.Compile(large(10_000, 1_000), core.Site{})
	wantFaults(t, "10,000 models and 1,000 routings", faults)
	if len(s.Names()) != 11_000 || len(s.Targets()) != 10_000 {
		t.Errorf("got %d names and %d targets, want 11000 and 10000", len(s.Names()), len(s.Targets()))
	}
}

// A chain that is far too long is refused, without harm.
func TestLongChainOfRoutingsIsCutAtTheMaximum(t *testing.T) {
	doc := large(1, 0)
	const n = 3000
	for i := range n {
		target := fmt.Sprint("chain", i+1)
		if i == n-1 {
			target = "m0"
		}
		doc.Set(&core.Routing{ID: fmt.Sprint("chain", i), Strategy: core.StrategyFailover, Targets: []core.RoutingTarget{{Model: target}}})
	}
	s, _ := core.Compile(doc, core.Site{})
	if got := len(s.Names()); got != 1+core.MaxDepth {
		t.Errorf("got %d names, want the model and the last %d routings of the chain", got, core.MaxDepth)
	}
}

func BenchmarkCompileOf10000ModelsAnd1000Routings(b *testing.B) {
	doc := large(10_000, 1_000)
	b.ReportAllocs()
	for b.Loop() {
		core.Compile(doc, core.Site{})
	}
}

func FuzzDecode(f *testing.F) {
	for _, raw := range []string{`{"id":"x"}`, `{"id":"x","targets":[null]}`, `{"id":"x","base_url":"http://[::1"}`, `{"id":"x","key_sha256":"00","allowed_models":["["]}`,
		`{"id":"x","provider":"p","upstream_model":"m","timeouts":{"idle":"1s"}}`, `{"id":"x","strategy":"semantic","targets":[{"model":"x","examples":[null]}],"semantic":{"embeddings":null}}`,
		`{"id":"x","strategy":"scored","profile":"x","targets":[{"model":"x"}],"optimize":{},"missing":{},"require":{"capabilities":[""]},"limits":{},"prefer":{"p50":"0s"}}`, `null`, `[`} {
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		doc := core.NewDocument()
		for _, kind := range core.Kinds() {
			r, faults := core.Decode(core.Ref{Kind: kind, ID: "x"}, []byte(raw))
			if r == nil && len(faults) == 0 {
				t.Fatalf("%s: neither a resource nor a fault", kind)
			}
			if r != nil {
				doc.Set(r)
			}
		}
		s, _ := core.Compile(doc, core.Site{})
		for _, id := range s.Names() {
			g, _ := s.Group(id)
			if err := check(g, 1); err != nil {
				t.Fatal(err)
			}
		}
	})
}
