package core_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"testing/quick"

	"github.com/sluice-gateway/sluice/core"
)

// randomDocument refers to everything, what is not there and itself included.
func randomDocument(seed uint64) *core.Document {
	r := rand.New(rand.NewPCG(seed, 3))
	doc := core.NewDocument()
	name := func(prefix string, n int) string { return fmt.Sprint(prefix, r.IntN(n)) }
	for range r.IntN(4) {
		doc.Set(&core.Provider{ID: name("p", 3), Kind: core.ProviderOpenAI, BaseURL: []string{"http://h", "ftp://h", ""}[r.IntN(3)/2]})
	}
	for range r.IntN(8) {
		doc.Set(&core.Model{ID: name("x", 12), Provider: name("p", 3), UpstreamModel: "m"})
	}
	for range r.IntN(16) {
		routing := &core.Routing{ID: name("x", 24), Strategy: core.StrategyFailover}
		for range r.IntN(4) {
			weight := r.IntN(4) - 1
			routing.Targets = append(routing.Targets, core.RoutingTarget{Model: name("x", 26), Weight: &weight, Priority: r.IntN(3)})
		}
		doc.Set(routing)
	}
	for range r.IntN(3) {
		doc.Set(&core.APIKey{ID: name("k", 3), KeySHA256: hashed(name("key", 2)), AllowedModels: []string{"*"}})
	}
	return doc
}

// check returns what is wrong with a group, nested ones included.
func check(g *core.Group, nested int) error {
	leaves, depth, weight := 0, 0, 0
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
	if err := quick.Check(property, &quick.Config{MaxCount: 600}); err != nil {
		t.Error(err)
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
		`{"id":"x","provider":"p","upstream_model":"m","timeouts":{"idle":"1s"}}`, `null`, `[`} {
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
