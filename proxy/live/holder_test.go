package live_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/proxy/embed"
	"github.com/sluice-gateway/sluice/proxy/live"
	"github.com/sluice-gateway/sluice/store"
)

// stored is what etcd would hold; each put takes the next revision.
type stored struct {
	revision int64
	items    map[core.Ref]store.Item
}

func newStored() *stored { return &stored{items: map[core.Ref]store.Item{}} }

func (s *stored) put(kind core.Kind, id, value string) {
	s.revision++
	s.items[core.Ref{Kind: kind, ID: id}] = store.Item{Value: []byte(value), Modified: s.revision}
}

func (s *stored) delete(kind core.Kind, id string) {
	s.revision++
	delete(s.items, core.Ref{Kind: kind, ID: id})
}

func (s *stored) image() store.Image {
	items := make(map[core.Ref]store.Item, len(s.items))
	for ref, item := range s.items {
		items[ref] = item
	}
	return store.Image{Revision: s.revision, Items: items}
}

func (s *stored) provider(id, url string) {
	s.put(core.KindProvider, id, `{"id":"`+id+`","kind":"openai","base_url":"`+url+`"}`)
}

func (s *stored) model(id, provider string) {
	s.put(core.KindModel, id, `{"id":"`+id+`","provider":"`+provider+`","upstream_model":"u"}`)
}

func (s *stored) routing(id string, models ...string) {
	var targets []map[string]string
	for _, m := range models {
		targets = append(targets, map[string]string{"model": m})
	}
	b, _ := json.Marshal(map[string]any{"id": id, "strategy": "failover", "targets": targets})
	s.put(core.KindRouting, id, string(b))
}

// running is a holder inside a synctest bubble.
type running struct {
	*live.Holder
	published int
	// late counts the snapshots, of those prepared, that were published before they were.
	prepared, late int
}

// prepare notes whether it comes in time.
func (h *running) prepare(s *core.Snapshot) embed.Collections {
	if now := h.Load(); h.prepared != h.published || now != nil && now.Snapshot == s {
		h.late++
	}
	h.prepared++
	return embed.Collections{}
}

func run(t *testing.T, body func(h *running)) {
	synctest.Test(t, func(t *testing.T) {
		h := &running{}
		h.Holder = live.New(core.Site{Env: func(string) (string, bool) { return "", false }}, slog.New(slog.DiscardHandler), h.prepare, func(*live.State) { h.published++ })
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { h.Run(ctx); close(done) }()
		body(h)
		cancel()
		<-done
	})
}

func (h *running) offer(s *stored) *live.State {
	h.Offer(s.image())
	synctest.Wait()
	return h.Load()
}

func rules(s *live.State) string {
	var out []string
	for _, f := range s.Rejected {
		out = append(out, f.Ref.String()+f.Pointer+":"+f.Rule)
	}
	return strings.Join(out, " ")
}

func TestAChangeIsServedUnderItsRevision(t *testing.T) {
	run(t, func(h *running) {
		s := newStored()
		s.provider("p", "http://one/v1")
		s.model("m", "p")
		got := h.offer(s)
		if got.Revision != 2 || h.Revision() != 2 || !slices.Equal(got.Names(), []string{"m"}) {
			t.Fatalf("state %d/%d %v, want revision 2 with m", got.Revision, h.Revision(), got.Names())
		}
		s.delete(core.KindModel, "m")
		if got = h.offer(s); len(got.Names()) != 0 {
			t.Errorf("deleted model is still served: %v", got.Names())
		}
	})
}

func TestEverySnapshotIsPreparedBeforeItIsPublished(t *testing.T) {
	run(t, func(h *running) {
		s := newStored()
		s.provider("p", "http://one/v1")
		for i := range 3 {
			s.model(fmt.Sprint("m", i), "p")
			h.offer(s)
		}
		if h.prepared != 3 || h.late != 0 {
			t.Errorf("of %d snapshots %d were prepared too late", h.prepared, h.late)
		}
	})
}

func TestAnInvalidValueKeepsTheLastGoodOne(t *testing.T) {
	for name, bad := range map[string]string{
		"not JSON":           `{"id":`,
		"another id":         `{"id":"q","kind":"openai","base_url":"http://two/v1"}`,
		"refused by compile": `{"id":"p","kind":"openai","base_url":"ftp://two"}`,
		"unset environment":  `{"id":"p","kind":"openai","base_url":"http://two/v1","auth":{"secret":"${env:NOT_SET}"}}`,
	} {
		run(t, func(h *running) {
			s := newStored()
			s.provider("p", "http://one/v1")
			s.model("m", "p")
			h.offer(s)
			s.put(core.KindProvider, "p", bad)
			got := h.offer(s)
			g, ok := got.Group("m")
			if !ok || g.Members[0].Target.Upstream.BaseURL.Host != "one" {
				t.Errorf("%s: the last good provider is not served", name)
			}
			if len(got.Rejected) != 1 || got.Rejected[0].Ref.ID != "p" {
				t.Errorf("%s: rejected %v, want one fault, of p", name, got.Rejected)
			}
			s.provider("p", "http://three/v1")
			if got = h.offer(s); len(got.Rejected) != 0 {
				t.Errorf("%s: faults stay after the repair: %v", name, got.Rejected)
			}
		})
	}
}

func TestAnInvalidProfileKeepsTheLastGoodOne(t *testing.T) {
	run(t, func(h *running) {
		s := newStored()
		s.provider("p", "http://one/v1")
		s.model("m", "p")
		s.put(core.KindProfile, "f", `{"id":"f","exploration":0.25}`)
		s.put(core.KindRouting, "r", `{"id":"r","strategy":"scored","targets":[{"model":"m"}],"profile":"f"}`)
		h.offer(s)
		s.put(core.KindProfile, "f", `{"id":"f","exploration":0.75}`)
		got := h.offer(s)
		g, ok := got.Group("r")
		if !ok || g.Score.Exploration != 0.25 || rules(got) != "profile/f/exploration:range" {
			t.Fatalf("served %v, rejected %q; want the last good profile, and its new value rejected", ok, rules(got))
		}
		s.put(core.KindProfile, "f", `{"id":"f","exploration":0.5}`)
		got = h.offer(s)
		if g, _ := got.Group("r"); g.Score.Exploration != 0.5 || len(got.Rejected) > 0 {
			t.Errorf("after the repair: %+v, rejected %q", g.Score, rules(got))
		}
	})
}

func TestOneBadResourceNeverSpoilsTheRest(t *testing.T) {
	run(t, func(h *running) {
		s := newStored()
		s.provider("p", "http://one/v1")
		s.model("m", "p")
		s.put(core.KindModel, "bad", `garbage`)
		s.model("orphan", "nowhere")
		s.routing("r", "bad", "m")
		got := h.offer(s)
		if want := []string{"m", "r"}; !slices.Equal(got.Names(), want) {
			t.Errorf("names %v, want %v", got.Names(), want)
		}
		const want = "model/bad:json model/orphan/provider:reference routing/r/targets/0/model:reference"
		if rules(got) != want {
			t.Errorf("faults %s, want %s", rules(got), want)
		}
	})
}

func TestAReferrerKeepsItsLastGoodValueWhileItsProviderIsGone(t *testing.T) {
	run(t, func(h *running) {
		s := newStored()
		s.provider("p", "http://one/v1")
		s.provider("q", "http://two/v1")
		s.model("m", "p")
		h.offer(s)
		s.model("m", "nowhere")
		g, ok := h.offer(s).Group("m")
		if !ok || g.Members[0].Target.Upstream.ID != "p" {
			t.Fatalf("the last good model is not served")
		}
		s.delete(core.KindProvider, "p") // by hand: admin refuses this
		got := h.offer(s)
		if _, ok := got.Group("m"); ok {
			t.Error("a model without a provider is served")
		}
		if !strings.Contains(rules(got), "model/m/provider:reference") {
			t.Errorf("faults %s, want m's provider", rules(got))
		}
	})
}

func TestAGoodReferrerOfABadProviderIsServedAsStored(t *testing.T) {
	run(t, func(h *running) {
		s := newStored()
		s.provider("p", "http://one/v1")
		s.model("m", "p")
		h.offer(s)
		s.provider("p", "ftp://two")
		s.put(core.KindModel, "m", `{"id":"m","provider":"p","upstream_model":"newer"}`)
		g, ok := h.offer(s).Group("m")
		if !ok || g.Members[0].Target.UpstreamModel != "newer" {
			t.Error("the newer model is not served over the last good provider")
		}
	})
}

func TestAnAdvanceMovesTheRevisionAndPublishesNothing(t *testing.T) {
	run(t, func(h *running) {
		s := newStored()
		s.provider("p", "http://one/v1")
		before := h.offer(s)
		h.Advance(40)
		synctest.Wait()
		if h.Load() != before || h.Revision() != 40 {
			t.Errorf("revision %d, want 40 with the same state", h.Revision())
		}
	})
}

func TestOnlyTheLatestOfferIsCompiled(t *testing.T) {
	run(t, func(h *running) {
		s := newStored()
		for range 100 {
			s.provider("p", "http://one/v1")
			h.Offer(s.image())
		}
		synctest.Wait()
		if h.Load().Revision != 100 {
			t.Errorf("revision %d, want 100", h.Load().Revision)
		}
		if h.published > 100 {
			t.Errorf("published %d times", h.published)
		}
	})
}

func TestASecretThatDoesNotOpenKeepsTheLastGoodValueUntilItDoes(t *testing.T) {
	run(t, func(h *running) {
		s := newStored()
		p := core.Ref{Kind: core.KindProvider, ID: "p"}
		s.provider("p", "http://one/v1")
		s.model("m", "p")
		h.offer(s)
		s.put(core.KindProvider, "p", `{"id":"p","kind":"openai","base_url":"http://two/v1","auth":{"secret":{"key_id":1,"sealed":"AA=="}}}`)
		locked := s.items[p]
		locked.Faults = []core.Fault{{Ref: p, Pointer: "/auth/secret", Rule: store.RuleKeyset, Message: "no key", Severity: core.SeverityReject}}
		s.items[p] = locked
		got := h.offer(s)
		if g, ok := got.Group("m"); !ok || g.Members[0].Target.Upstream.BaseURL.Host != "one" || rules(got) != "provider/p/auth/secret:keyset" {
			t.Errorf("rejected %s, want the provider's secret, and its last good value served", rules(got))
		}
		// The keys come; the stored value is the same.
		s.items[p] = store.Item{Value: []byte(`{"id":"p","kind":"openai","base_url":"http://two/v1","auth":{"secret":"s"}}`), Modified: locked.Modified}
		got = h.offer(s)
		if g, ok := got.Group("m"); !ok || g.Members[0].Target.Upstream.BaseURL.Host != "two" || len(got.Rejected) != 0 {
			t.Errorf("rejected %s, want the opened value served", rules(got))
		}
	})
}
