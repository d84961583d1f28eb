package proxy_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/proxy"
)

// TestWhatScoredRoutingsAskForIsMeasuredOnEveryNode: of the targets of the routing, from when it is stored, and until
// nobody asks any more. What upstreams say of their limits is known of every one.
func TestWhatScoredRoutingsAskForIsMeasuredOnEveryNode(t *testing.T) {
	f := newFleet(t)
	limited := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("x-ratelimit-limit-requests", "100")
		w.Header().Set("x-ratelimit-remaining-requests", "40")
		w.Header().Set("x-ratelimit-reset-requests", "10m")
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":50}}`)
	}
	f.serve("asked", limited)
	f.serve("other", limited)
	a, b := f.start(proxy.Config{}), f.start(proxy.Config{})
	f.put(core.KindProfile, "p", `"prefer":{"p90":"2s","min_throughput":10}`)
	last := f.put(core.KindRouting, "r", `"strategy":"scored","profile":"p","targets":[{"model":"asked"}]`)
	shows := func(n *node, series string) bool {
		_, text := n.get("/metrics")
		return strings.Contains(text, "\n"+series+" ")
	}
	for _, n := range []*node{a, b} {
		n.await("the routing is served", func() bool { return n.revision() >= last })
	}
	for _, model := range []string{"asked", "other"} {
		a.ask(model)
	}
	const (
		percentile = `sluice_target_percentile_seconds{class="total",percentile="90",target=`
		throughput = `sluice_target_throughput_tokens{target=`
		quota      = `sluice_target_quota_ratio{target=`
	)
	for _, n := range []*node{a, b} {
		for _, series := range []string{percentile + `"asked"}`, throughput + `"asked"}`, quota + `"asked"}`, quota + `"other"}`} {
			n.await(series, func() bool { return shows(n, series) })
		}
		for _, series := range []string{percentile + `"other"}`, throughput + `"other"}`} {
			if shows(n, series) {
				t.Errorf("%s is shown, and nobody asks for it", series)
			}
		}
	}
	last = f.put(core.KindProfile, "p", `"optimize":{"latency":1}`)
	a.await("the new profile is served", func() bool { return a.revision() >= last })
	if shows(a, percentile+`"asked"}`) || shows(a, throughput+`"asked"}`) {
		t.Error("what nobody asks for any more is shown still")
	}
}
