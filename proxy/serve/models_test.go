package serve_test

import (
	"strings"
	"testing"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/proxy/live"
)

func TestTheListIsOfWhatTheKeyMaySendNow(t *testing.T) {
	e := newEdge(t)
	list := func() string {
		_, body := e.send("GET", "/v1/models", "", auth, bearer)
		var ids []string
		for _, part := range strings.Split(body, `"id":"`)[1:] {
			id, _, _ := strings.Cut(part, `"`)
			ids = append(ids, id)
		}
		return strings.Join(ids, " ")
	}
	if got := list(); got != "a-model b-model smart" {
		t.Errorf("before: %s", got)
	}
	doc := core.NewDocument()
	doc.Set(&core.Provider{ID: "p", Kind: core.ProviderOpenAI, BaseURL: "http://upstream/v1"})
	doc.Set(&core.Model{ID: "target-of-smart", Provider: "p", UpstreamModel: "u"})
	doc.Set(&core.Routing{ID: "smart", Strategy: core.StrategyFailover, Targets: []core.RoutingTarget{{Model: "target-of-smart"}}})
	doc.Set(&core.Routing{ID: "x-model", Strategy: core.StrategyFailover, Targets: []core.RoutingTarget{{Model: "smart"}}})
	doc.Set(&core.Routing{ID: "hidden", Strategy: core.StrategyFailover, Targets: []core.RoutingTarget{{Model: "smart"}}})
	doc.Set(key("good", "KEY"))
	snapshot, faults := core.Compile(doc, core.Site{})
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	e.state = &live.State{Snapshot: snapshot, Revision: 4}
	if got := list(); got != "smart x-model" {
		t.Errorf("after the change: %s, want the names that may be sent and no target behind them", got)
	}
	if resp, body := e.send("POST", "/v1/chat/completions", `{"model":"x-model"}`, auth, bearer); resp.StatusCode != 200 {
		t.Errorf("a name of the list: %d %s", resp.StatusCode, body)
	}
	resp, body := e.send("POST", "/v1/chat/completions", `{"model":"target-of-smart"}`, auth, bearer)
	checkError(t, resp, body, 404, "model_not_found")
}
