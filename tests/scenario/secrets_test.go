package scenario

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/sluice-gateway/sluice/tests/upstream"
)

func secretsStaySecret(t *testing.T, env Environment) {
	env.Scale(t, 2)
	o := newOperator(t, env)
	key := newKey(o, "secrets")
	const credential = "sk-upstream-7f3e9c1b5d8a2046-of-nobody"
	echoing := env.Upstream(t, upstream.Behaviour{Status: http.StatusUnauthorized, Message: "Incorrect API key provided: {credential}"})
	o.put("providers/secrets", fmt.Sprintf(`{"kind":"openai","base_url":%q,"auth":{"secret":%q},"headers":{"X-Team":"red"}}`, echoing.BaseURL, credential))
	o.put("models/secrets", `{"provider":"secrets","upstream_model":"m"}`)
	embedder := env.Upstream(t, upstream.Behaviour{})
	embedWithCredential(o, embedder, credential)
	ready(t, env.Proxies(), "secrets-semantic")

	seen := answersOfTheAdmin(o)
	for i, p := range env.Proxies() {
		seen = append(seen, answersOfTheProxy(t, p, key)...)
		seen = append(seen, explanations(t, o, p, key, fmt.Sprint("secrets-", i))...)
	}
	embedder.Behave(upstream.Behaviour{Status: http.StatusUnauthorized, Message: "Incorrect API key provided: {credential}"})
	for i, p := range env.Proxies() {
		seen = append(seen, explanations(t, o, p, key, fmt.Sprint("secrets-refused-", i))...)
	}
	for _, r := range embedder.Requests() {
		if r.Header.Get("Authorization") != "Bearer "+credential {
			t.Errorf("the embedder was sent Authorization %q, want the credential", r.Header.Get("Authorization"))
		}
	}
	requests := echoing.Requests()
	if len(requests) == 0 || requests[0].Header.Get("Authorization") != "Bearer "+credential {
		t.Fatalf("the upstream should have been sent the credential, got %d requests: %v", len(requests), requests)
	}
	seen = append(seen, place{"the logs", env.Logs(t)}, place{"etcd", everythingIn(t, env)})

	admin := env.Admin()
	secrets := map[string]string{"the upstream's credential": credential, "the caller's key": key, "the admin's token": admin.Token, "the viewer's token": admin.ViewerToken}
	for _, at := range seen {
		for name, secret := range secrets {
			if strings.Contains(at.text, secret) {
				t.Errorf("%s stands in %s:\n%s", name, at.name, excerpt(at.text, secret))
			}
		}
	}
}

// embedWithCredential stores a semantic routing whose embedder wants the same credential.
func embedWithCredential(o *operator, embedder Upstream, credential string) {
	o.t.Helper()
	o.put("providers/secrets-vectors", fmt.Sprintf(`{"kind":"openai","base_url":%q,"auth":{"secret":%q}}`, embedder.BaseURL, credential))
	o.put("routings/secrets-semantic", `{"strategy":"semantic","targets":[{"model":"secrets","examples":["Write a function"]}],`+
		`"semantic":{"embeddings":{"provider":"secrets-vectors","model":"demo-hashed-ngrams"},"threshold":0.25,"expose_scores":true}}`)
}

// explanations returns what is told of a decision before a request, with it and after it. The request's id is its prompt's
// end, too, so that no prompt has been embedded before.
func explanations(t *testing.T, o *operator, p Proxy, key, id string) []place {
	t.Helper()
	question := fmt.Sprintf(`{"model":"secrets-semantic","facts":{"prompt":"Write a function for %s"}}`, id)
	before := o.must(http.StatusOK, "POST", "/admin/v1/explain?node="+idOf(t, p), question)
	a := program(t, p, key).says("secrets-semantic", "Write a function for the request "+id, "X-Request-Id", id, "X-Sluice-Explain", "1")
	if a.Status < 400 {
		t.Errorf("%s: an upstream that refuses the credential was answered %d, want an error: %s", p.API, a.Status, a.Body)
	}
	after := o.must(http.StatusOK, "GET", "/admin/v1/decisions/"+id, "")
	return []place{{"an explanation", before.Body}, {"an answer that explains itself", a.Body + fmt.Sprint(a.Header)}, {"a decision", after.Body}}
}

// everythingIn returns all keys and values of etcd, of every revision that it still has.
func everythingIn(t *testing.T, env Environment) string {
	t.Helper()
	c, err := clientv3.New(clientv3.Config{Endpoints: env.StoreEndpoints(t), DialTimeout: patience})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var out strings.Builder
	note := func(found *clientv3.GetResponse) {
		for _, kv := range found.Kvs {
			fmt.Fprintf(&out, "%s %s\n", kv.Key, kv.Value)
		}
	}
	now, err := c.Get(t.Context(), "\x00", clientv3.WithFromKey())
	if err != nil {
		t.Fatal(err)
	}
	note(now)
	for _, kv := range now.Kvs {
		if !strings.Contains(string(kv.Key), "/resources/") {
			continue // those of signals are thousands
		}
		for revision := kv.CreateRevision; revision < kv.ModRevision; revision++ {
			then, err := c.Get(t.Context(), string(kv.Key), clientv3.WithRev(revision))
			if err != nil {
				continue // compacted
			}
			note(then)
		}
	}
	for _, part := range []string{"/resources/provider/secrets", "/vectors/"} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("nothing of %s was found in etcd: nothing was looked at", part)
		}
	}
	return out.String()
}

// place is text that people may see.
type place struct{ name, text string }

func excerpt(text, secret string) string {
	at := strings.Index(text, secret)
	return text[max(0, at-200):min(len(text), at+len(secret)+100)]
}

// answersOfTheAdmin returns what the admin says of the provider, in every way that it can be made to.
func answersOfTheAdmin(o *operator) []place {
	o.t.Helper()
	var out []place
	for _, path := range []string{"/admin/v1/providers/secrets", "/admin/v1/providers/secrets-vectors", "/admin/v1/providers", "/admin/v1/api-keys", "/admin/v1/fleet", "/openapi.json", "/readyz"} {
		a := o.must(http.StatusOK, "GET", path, "")
		out = append(out, place{"GET " + path, a.Body + fmt.Sprint(a.Header)})
	}
	// A refusal must not repeat what was sent.
	const credential = "sk-upstream-7f3e9c1b5d8a2046-of-nobody"
	for _, body := range []string{
		fmt.Sprintf(`{"kind":"openai","base_url":"x","auth":{"secret":%q,"header":"not a header"}}`, credential),
		fmt.Sprintf(`{"kind":"openai","base_url":"https://a.example","auth":{"secret":[%q]}}`, credential),
		fmt.Sprintf(`{"auth":{"secret":%q}`, credential),
	} {
		a, err := o.send("PUT", "/admin/v1/providers/secrets-refused", body)
		if err != nil || a.Status < 400 {
			o.t.Errorf("a faulty provider was answered %d %v, want a refusal: %s", a.Status, err, body)
		}
		out = append(out, place{"the refusal of " + body[:12], a.Body})
	}
	return out
}

// answersOfTheProxy returns what callers and operators of a proxy get to see when the upstream refuses the
// credential and names it in its answer.
func answersOfTheProxy(t *testing.T, p Proxy, key string) []place {
	t.Helper()
	api := &operator{t: t, url: p.API, token: key, http: http.DefaultClient}
	var out []place
	for _, stream := range []bool{false, true} {
		a, err := api.send("POST", "/v1/chat/completions", fmt.Sprintf(`{"model":"secrets","stream":%v,"messages":[{"role":"user","content":"hi"}]}`, stream))
		if err != nil || a.Status < 400 {
			t.Errorf("%s: an upstream that refuses the credential was answered %d %v, want an error: %s", p.API, a.Status, err, a.Body)
		}
		out = append(out, place{p.API, a.Body + fmt.Sprint(a.Header)})
	}
	for _, path := range []string{"/status", "/metrics", "/readyz"} {
		a, err := (&operator{t: t, url: p.Status, http: http.DefaultClient}).send("GET", path, "")
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, place{p.Status + path, a.Body})
	}
	return out
}
