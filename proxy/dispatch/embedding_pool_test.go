package dispatch_test

import (
	"net"
	"testing"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/proxy/dispatch"
)

func TestThePoolOfAProviderThatOnlyEmbedsOutlastsAChange(t *testing.T) {
	compiled := func(embeds bool) *core.Snapshot {
		doc := core.NewDocument()
		doc.Set(&core.Provider{ID: "p", Kind: core.ProviderOpenAI, BaseURL: "http://upstream/v1"})
		doc.Set(&core.Provider{ID: "vectors", Kind: core.ProviderOpenAI, BaseURL: "https://vectors/v1", TLS: &core.TLS{ServerName: "inside"}})
		doc.Set(&core.Model{ID: "m", Provider: "p", UpstreamModel: "u"})
		if embeds {
			doc.Set(&core.Routing{
				ID: "r", Strategy: core.StrategySemantic, Targets: []core.RoutingTarget{{Model: "m", Examples: []string{"x"}}},
				Semantic: &core.Semantic{Embeddings: &core.Embeddings{Provider: "vectors", Model: "e"}},
			})
		}
		s, faults := core.Compile(doc, core.Site{})
		if len(faults) > 0 {
			t.Fatal(faults)
		}
		return s
	}
	pools := dispatch.NewPools((&net.Dialer{}).DialContext)
	defer pools.Close()
	with := compiled(true)
	g, _ := with.Group("r")
	pool := pools.Transport(g.Embeddings.Upstream)
	if pools.Keep(compiled(true)); pools.Transport(g.Embeddings.Upstream) != pool {
		t.Error("a change that leaves the routing as it is takes its pool away")
	}
	if pools.Keep(compiled(false)); pools.Transport(g.Embeddings.Upstream) == pool {
		t.Error("a pool that nobody uses is kept")
	}
}
