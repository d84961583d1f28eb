package scenario

import (
	"fmt"
	"strings"
	"testing"

	"github.com/sluice-gateway/sluice/tests/upstream"
)

// decisionsAreExplained before a request and after it, whichever proxy decides.
func decisionsAreExplained(t *testing.T, env Environment) {
	const prompt = "Say something."
	env.Scale(t, 2)
	o := newOperator(t, env)
	key := newKey(o, "explained")
	good, bad := env.Upstream(t, upstream.Behaviour{}), env.Upstream(t, upstream.Behaviour{Status: 503})
	for name, server := range map[string]string{"explained-good": good.BaseURL, "explained-bad": bad.BaseURL} {
		o.put("providers/"+name, fmt.Sprintf(`{"kind":"openai","base_url":%q}`, server))
		o.put("models/"+name, fmt.Sprintf(`{"provider":%q,"upstream_model":"x","cooldown":{"duration":"0s"}}`, name))
	}
	o.put("routings/explained", `{"strategy":"failover","retries":0,"targets":[{"model":"explained-bad"},{"model":"explained-good"}]}`)

	decided := map[string]bool{}
	for i, p := range env.Proxies() {
		id := fmt.Sprint("explained-", i)
		direct(t, p, key).wantAsked(t, "explained-good", params("explained"), "X-Request-Id: "+id)
		a := o.must(200, "GET", "/admin/v1/decisions/"+id, "")
		d := a.json()
		attempts, _ := d["attempts"].([]any)
		if d["outcome"] != "ok" || d["caller"] != "explained" || len(attempts) != 2 || !strings.Contains(a.Body, `"outcome":"upstream_status","status":503`) || strings.Contains(a.Body, prompt) {
			t.Errorf("%s: got %s", id, a.Body)
		}
		node, _ := d["node"].(string)
		decided[node] = true
		e := o.must(200, "POST", "/admin/v1/explain?node="+node, `{"model":"explained","facts":{"prompt":"`+prompt+`"}}`)
		if e.json()["node"] != node || !strings.Contains(e.Body, `"order":[{"target":"explained-bad"},{"target":"explained-good"}]`) || strings.Contains(e.Body, prompt) {
			t.Errorf("%s explains %s", node, e.Body)
		}
	}
	if len(decided) != 2 {
		t.Errorf("decided by %v, want two nodes", decided)
	}
	o.must(404, "GET", "/admin/v1/decisions/explained-never", "")
	o.must(422, "POST", "/admin/v1/explain", `{"routing":{"strategy":"failover","targets":[{"model":"explained-nobody"}]}}`)
}
