//go:build e2e

package scenario

import (
	"fmt"
	"net/http"
	"testing"
)

// The upstreams that docker-compose.yml brings along, reached by their names in its network.
func theDemoUpstreamsAnswer(t *testing.T, e *compose) {
	o := newOperator(t, e)
	key := newKey(o, "demo")
	for _, name := range []string{"demo-slow", "demo-fast"} {
		o.put("providers/"+name, fmt.Sprintf(`{"kind":"openai","base_url":"http://%s:9100/v1"}`, name))
		o.put("models/"+name, fmt.Sprintf(`{"provider":%q,"upstream_model":%q}`, name, name))
	}
	o.put("routings/demo", `{"strategy":"least_latency","targets":[{"model":"demo-slow"},{"model":"demo-fast"}]}`)
	c := direct(t, e.Proxies()[0], key)
	for _, stream := range []bool{false, true} {
		for _, model := range []string{"demo-slow", "demo-fast", "demo"} {
			target, _, err := c.ask(t.Context(), model, stream)
			if err != nil || (model != "demo" && target != model) {
				t.Errorf("%q, stream %v: answered by %q, %v", model, stream, target, err)
			}
		}
	}
	o.put("routings/demo-prompts", `{"strategy":"semantic","targets":[{"model":"demo-slow","examples":["Write a function"]},{"model":"demo-fast","catchall":true}],`+
		`"semantic":{"embeddings":{"provider":"demo-fast","model":"demo-hashed-ngrams"},"threshold":0.25}}`)
	ready(t, e.Proxies(), "demo-prompts")
	client := program(t, e.Proxies()[0], key)
	client.says("demo-prompts", codePrompt).servedBy(t, "demo-slow", "the demo's vectors")
	client.says("demo-prompts", neitherPrompt).servedBy(t, "demo-fast", "the demo's vectors")
}

func anyMemberOfEtcdDiesUnderLoad(t *testing.T, e *compose) {
	e.Scale(t, 2)
	o := newOperator(t, e)
	key := newKey(o, "members")
	serve(o, "members", e.Upstream(t, quick))
	e.healthy(t, "etcd", "etcd-2", "etcd-3")
	l := startLoad(t, newCaller("http://fleet", key, newBalancer(t, e)), "members", true)

	for i, member := range []string{"etcd", "etcd-2", "etcd-3"} {
		e.compose(t, "kill", member)
		l.more(t, 20)
		name := fmt.Sprintf("members-%d", i)
		// The first attempt may find that the leader is gone.
		eventually(t, patience, func() error {
			a, err := o.send(http.MethodPut, "/admin/v1/models/"+name+"?wait=5s", `{"provider":"members","upstream_model":"m"}`)
			if err == nil && (a.Status > 299 || a.Header.Get("X-Sluice-Wait") != "complete") {
				err = fmt.Errorf("a write without %s: got %d, X-Sluice-Wait %q: %s", member, a.Status, a.Header.Get("X-Sluice-Wait"), a.Body)
			}
			return err
		})
		t.Cleanup(func() { o.forget("models/" + name) })
		for _, p := range e.Proxies() {
			direct(t, p, key).mustChat(t, name, i%2 == 0)
		}
		e.compose(t, "start", member)
		e.healthy(t, member)
	}
	l.stop(t)
}
