package scenario

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/tests/upstream"
)

// The slow target is declared first, so that a node which knows nothing would begin with it.
func latencyLearntOnOneNodeOrdersTargetsOnAnother(t *testing.T, env Environment) {
	env.Scale(t, 2)
	o := newOperator(t, env)
	key := newKey(o, "latency")
	slow := env.Upstream(t, upstream.Behaviour{FirstToken: 300 * time.Millisecond})
	fast := env.Upstream(t, upstream.Behaviour{FirstToken: 10 * time.Millisecond})
	serve(o, "latency-slow", slow)
	serve(o, "latency-fast", fast)
	// Without probes, so that nothing but what was measured decides.
	o.put("routings/latency", `{"strategy":"least_latency","latency":{"probe_after":"0s"},"targets":[{"model":"latency-slow"},{"model":"latency-fast"}]}`)

	a, b := env.Proxies()[0], env.Proxies()[1]
	learner := direct(t, a, key)
	for _, stream := range []bool{false, true} {
		for range 3 {
			learner.mustChat(t, "latency-slow", stream)
			learner.mustChat(t, "latency-fast", stream)
		}
	}
	eventually(t, patience, func() error { return knows(t, b, "latency-slow", "latency-fast") })

	asked := len(slow.Requests())
	for _, stream := range []bool{false, true} {
		for i := range 5 {
			if target := direct(t, b, key).mustChat(t, "latency", stream); target != "latency-fast" {
				t.Errorf("request %d (stream %v) through the node that had measured nothing went to %q, want latency-fast", i+1, stream, target)
			}
		}
	}
	if now := len(slow.Requests()); now != asked {
		t.Errorf("the slow upstream got %d requests through that node, want none", now-asked)
	}
}

// knows returns nil when the node has an estimate for both classes of every one of the models.
func knows(t *testing.T, p Proxy, models ...string) error {
	var report struct {
		Targets []struct {
			Model string         `json:"model"`
			TTFT  map[string]any `json:"ttft"`
			Total map[string]any `json:"total"`
		} `json:"targets"`
	}
	raw := status(t, p)
	if err := json.Unmarshal(raw, &report); err != nil {
		return err
	}
	known := map[string]bool{}
	for _, target := range report.Targets {
		known[target.Model] = target.TTFT != nil && target.Total != nil
	}
	for _, model := range models {
		if !known[model] {
			return fmt.Errorf("%s has no estimate for %q yet: %s", p.Status, model, raw)
		}
	}
	return nil
}

// status returns the node's account of itself.
func status(t *testing.T, p Proxy) []byte {
	t.Helper()
	a, err := (&operator{t: t, url: p.Status, http: http.DefaultClient}).send(http.MethodGet, "/status", "")
	if err != nil {
		t.Fatal(err)
	}
	return []byte(a.Body)
}

// idOf returns the name of the node in the fleet.
func idOf(t *testing.T, p Proxy) string {
	t.Helper()
	var n node
	if err := json.Unmarshal(status(t, p), &n); err != nil || n.ID == "" {
		t.Fatalf("%s/status names no id: %v", p.Status, err)
	}
	return n.ID
}
