package catalog

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/schemas"
	"github.com/sluice-gateway/sluice/store"
)

// memory is a document in memory. Before each commit it lets interfere write, as another replica would.
type memory struct {
	items     map[core.Ref]store.Item
	revision  int64
	interfere []func(*memory)
	history   map[int64]store.Image
	compacted bool // history is gone
}

func (m *memory) image() store.Image {
	items := make(map[core.Ref]store.Item, len(m.items))
	for ref, item := range m.items {
		items[ref] = item
	}
	return store.Image{Revision: m.revision, Generation: m.revision, Items: items}
}

func (m *memory) set(ref core.Ref, value string) {
	m.revision++
	m.items[ref] = store.Item{Value: []byte(value), Created: m.revision, Modified: m.revision}
	if m.history == nil {
		m.history = map[int64]store.Image{}
	}
	m.history[m.revision] = m.image()
}

func (m *memory) ReadAt(_ context.Context, revision int64) (store.Image, error) {
	if img, kept := m.history[revision]; kept && !m.compacted {
		return img, nil
	}
	return store.Image{}, store.ErrRevisionGone
}

func (m *memory) Read(context.Context) (store.Image, error) { return m.image(), nil }

func (m *memory) Update(_ context.Context, apply func(store.Image) ([]store.Change, error)) (store.Result, error) {
	for {
		changes, err := apply(m.image())
		if err != nil {
			return store.Result{}, err
		}
		if len(m.interfere) > 0 {
			m.interfere[0](m)
			m.interfere = m.interfere[1:]
			continue
		}
		for _, c := range changes {
			m.set(c.Ref, string(c.Value))
		}
		return store.Result{Revision: m.revision, Changed: true}, nil
	}
}

func newCatalog(t testing.TB) (*Catalog, *memory) {
	t.Helper()
	set, err := schemas.Load()
	if err != nil {
		t.Fatal(err)
	}
	m := &memory{items: map[core.Ref]store.Item{}, revision: 1}
	return New(m, set, core.Site{}), m
}

var provider = core.Ref{Kind: core.KindProvider, ID: "p"}

func stored(secret string) string {
	return `{"auth":{"secret":"` + secret + `"},"base_url":"http://x","id":"p","kind":"openai"}`
}

func TestAWriteIsMadeAnewOnWhatOthersLeft(t *testing.T) {
	for name, write := range map[string]func(*Catalog) (Written, error){
		"put": func(c *Catalog) (Written, error) {
			return c.Put(t.Context(), provider, []byte(stored("***-end")), Condition{})
		},
		"patch": func(c *Catalog) (Written, error) {
			return c.Patch(t.Context(), provider, []byte(`{"auth":{"secret":"***-end"}}`), Condition{})
		},
	} {
		c, m := newCatalog(t)
		m.set(provider, stored("the-first-secret-end"))
		m.interfere = []func(*memory){func(m *memory) { m.set(provider, stored("the-second-secret-end")) }}
		if _, err := write(c); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got := string(m.items[provider].Value); got != stored("the-second-secret-end") {
			t.Errorf("%s: stored %s: a secret that another writer had set is undone", name, got)
		}
	}
}

func TestAConditionIsHeldAgainstWhatOthersLeft(t *testing.T) {
	c, m := newCatalog(t)
	m.set(provider, stored("secret"))
	cond := Condition{Revisions: []int64{m.revision}}
	m.interfere = []func(*memory){func(m *memory) { m.set(provider, stored("other")) }}
	if _, err := c.Patch(t.Context(), provider, []byte(`{"description":"x"}`), cond); !errors.Is(err, ErrPrecondition) {
		t.Errorf("got %v, want ErrPrecondition", err)
	}
	m.interfere = []func(*memory){func(m *memory) { delete(m.items, provider) }}
	if _, err := c.Delete(t.Context(), provider, Condition{}); !errors.Is(err, ErrNotFound) {
		t.Errorf("got %v, want ErrNotFound", err)
	}
}

func TestAProviderOutOfReachIsRefused(t *testing.T) {
	c, _ := newCatalog(t)
	var err error
	if c.site.Reach, err = core.ParseReach([]string{"api.openai.com"}); err != nil {
		t.Fatal(err)
	}
	var refused *Refused
	_, err = c.Put(t.Context(), provider, []byte(`{"kind":"openai","base_url":"http://169.254.169.254/latest"}`), Condition{})
	if !errors.As(err, &refused) || refused.Faults[0].Pointer != "/base_url" || refused.Faults[0].Rule != "reach" {
		t.Errorf("got %v, want a fault of /base_url", err)
	}
	if _, err := c.Put(t.Context(), provider, []byte(`{"kind":"openai","base_url":"https://api.openai.com/v1"}`), Condition{}); err != nil {
		t.Errorf("got %v for an upstream on the list", err)
	}
}

func TestAReferenceThatAppearsMeanwhileStopsADelete(t *testing.T) {
	c, m := newCatalog(t)
	m.set(provider, stored("secret"))
	m.interfere = []func(*memory){func(m *memory) {
		m.set(core.Ref{Kind: core.KindModel, ID: "m"}, `{"id":"m","provider":"p","upstream_model":"x"}`)
	}}
	var referenced *Referenced
	if _, err := c.Delete(t.Context(), provider, Condition{}); !errors.As(err, &referenced) || len(referenced.Referrers) != 1 {
		t.Errorf("got %v, want one referrer", err)
	}
}

func TestStoredValuesAreCompactAndNotEscaped(t *testing.T) {
	c, m := newCatalog(t)
	if _, err := c.Put(t.Context(), provider, []byte(" {\"kind\" : \"openai\",\n\"description\":\"<a> & \\u2028 ä\", \"base_url\":\"http://x\" } "), Condition{}); err != nil {
		t.Fatal(err)
	}
	const want = `{"base_url":"http://x","description":"<a> & \u2028 ä","id":"p","kind":"openai"}`
	if got := string(m.items[provider].Value); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestAListGoesOnUntilItsRevisionIsGoneAndTheDocumentHasChanged(t *testing.T) {
	c, m := newCatalog(t)
	model := func(id string) core.Ref { return core.Ref{Kind: core.KindModel, ID: id} }
	m.set(model("a"), `{"id":"a"}`)
	m.set(model("c"), `{"id":"c"}`)
	first, err := c.List(t.Context(), Query{Kind: core.KindModel, Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	next := func() (Page, error) {
		return c.List(t.Context(), Query{Kind: core.KindModel, Limit: 1, Token: first.Next})
	}
	shown := func(p Page) string { return string(p.Entries[0].Resource) }
	m.compacted = true
	if page, err := next(); err != nil || shown(page) != `{"id":"c"}` {
		t.Errorf("compacted but not changed: %v", err)
	}
	m.set(model("b"), `{"id":"b"}`)
	if _, err := next(); !errors.Is(err, ErrPageGone) {
		t.Errorf("compacted and changed: got %v, want ErrPageGone", err)
	}
	m.compacted = false
	if page, err := next(); err != nil || shown(page) != `{"id":"c"}` || page.Revision != first.Revision {
		t.Errorf("changed but not compacted: %+v, %v", page, err)
	}
}

// A write reads and proves the whole document: it must stay far below a second when that is large.
func BenchmarkWriteAmongTenThousandModels(b *testing.B) {
	c, m := newCatalog(b)
	fill(m)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := c.Patch(b.Context(), core.Ref{Kind: core.KindModel, ID: "m7"}, []byte(`{"description":"`+strings.Repeat("x", i%8)+`"}`), Condition{}); err != nil {
			b.Fatal(err)
		}
	}
}

func fill(m *memory) {
	m.set(provider, stored("secret"))
	for i := range 10_000 {
		id := fmt.Sprint("m", i)
		m.set(core.Ref{Kind: core.KindModel, ID: id}, `{"description":"`+strings.Repeat("d", 500)+`","id":"`+id+`","provider":"p","upstream_model":"x"}`)
	}
	for i := range 1000 {
		id := fmt.Sprint("r", i)
		m.set(core.Ref{Kind: core.KindRouting, ID: id}, fmt.Sprintf(`{"id":"%s","strategy":"least_latency","targets":[{"model":"m%d"},{"model":"m%d"}]}`, id, i, i+1))
	}
}

func FuzzAPageTokenNeverLeavesTheGrammarOfIDs(f *testing.F) {
	for _, s := range []string{"", "e30", "bnVsbA", "!", token{57, 50, "gpt"}.String(), token{-1, 0, ".."}.String()} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		at, err := parseToken(s)
		if err == nil && s != "" && core.CheckID(at.After) != nil {
			t.Errorf("%q: accepted with id %q", s, at.After)
		}
	})
}
