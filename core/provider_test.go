package core_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/sluice-gateway/sluice/core"
)

func compileProvider(t *testing.T, body string, env core.Env) (*core.Upstream, []core.Fault) {
	t.Helper()
	s, faults := core.Compile(document(t, "provider/p "+body, modelA), core.Site{Env: env})
	if len(s.Targets()) == 0 {
		return nil, faults
	}
	return s.Targets()[0].Upstream, faults
}

func TestBaseURLIsCheckedAndCleaned(t *testing.T) {
	for raw, want := range map[string]string{
		"https://api.example/v1":       "https://api.example/v1",
		"https://api.example/v1///":    "https://api.example/v1",
		"http://127.0.0.1:8000":        "http://127.0.0.1:8000",
		"http://[::1]:8000/":           "http://[::1]:8000",
		"https://h/a%2Fb/":             "https://h/a%2Fb",
		"ftp://h/v1":                   "",
		"//h/v1":                       "",
		"":                             "",
		"https://":                     "",
		"https:///v1":                  "",
		"https:opaque":                 "",
		"https://user:pw@h/v1":         "",
		"https://h/v1?key=1":           "",
		"https://h/v1?":                "",
		"https://h/v1#x":               "",
		"https://h/v1#":                "",
		"https://h:port/v1":            "",
		"http://[::1":                  "",
		"https://h/\x00":               "",
		"file:///etc/passwd":           "",
		"javascript:alert(1)":          "",
		"https://%41.example/v1 space": "",
	} {
		doc := document(t, `provider/p {"kind":"openai"}`, modelA)
		doc.Providers["p"].BaseURL = raw
		s, faults := core.Compile(doc, core.Site{})
		switch {
		case want == "" && (len(s.Targets()) != 0 || len(faults) < 2 || faults[1].Pointer != "/base_url"):
			t.Errorf("%q: got %v, want it refused at /base_url", raw, faults)
		case want != "" && (len(faults) != 0 || s.Targets()[0].Upstream.BaseURL.String() != want):
			t.Errorf("%q: got faults %v, want it served as %q", raw, faults, want)
		}
	}
}

func TestCredentialTakesItsPlace(t *testing.T) {
	for _, tc := range []struct{ auth, header, query, value string }{
		{`{"secret":"k"}`, "Authorization", "", "Bearer k"},
		{`{"secret":"k","scheme":""}`, "Authorization", "", "k"},
		{`{"secret":"k","scheme":"Token"}`, "Authorization", "", "Token k"},
		{`{"secret":"k","header":"api-key"}`, "Api-Key", "", "k"},
		{`{"secret":"k","header":"authorization"}`, "Authorization", "", "Bearer k"},
		{`{"secret":"k","header":"x-key","scheme":"Key"}`, "X-Key", "", "Key k"},
		{`{"secret":"k","query":"key"}`, "", "key", "k"},
	} {
		u, faults := compileProvider(t, `{"kind":"openai","base_url":"http://up","auth":`+tc.auth+`}`, nil)
		if u == nil {
			t.Errorf("%s: got faults %v, want none", tc.auth, faults)
			continue
		}
		if c := u.Credential; c.Header != tc.header || c.Query != tc.query || c.Value.Reveal() != tc.value || c.Key == "" {
			t.Errorf("%s: got header %q, query %q, value %q; want %q, %q, %q", tc.auth, c.Header, c.Query, c.Value.Reveal(), tc.header, tc.query, tc.value)
		}
	}
}

func TestEachKindHasItsOwnPlaceForACredential(t *testing.T) {
	for members, want := range map[string]string{
		`"kind":"openai","auth":{"secret":"k"}`:                                                  "Authorization: Bearer k",
		`"kind":"azure-openai","api_version":"2024-10-21","auth":{"secret":"k"}`:                 "Api-Key: k",
		`"kind":"azure-openai","api_version":"v","auth":{"secret":"k","header":"authorization"}`: "Authorization: Bearer k",
		`"kind":"anthropic","auth":{"secret":"k"}`:                                               "X-Api-Key: k",
		`"kind":"anthropic","auth":{"secret":"k","scheme":"Token"}`:                              "X-Api-Key: Token k",
		`"kind":"anthropic","headers":{"Anthropic-Version":"2023-01-01"},"auth":{"secret":"k"}`:  "X-Api-Key: k",
		`"kind":"anthropic","auth":{"secret":"k","header":"Authorization","scheme":"Bearer"}`:    "Authorization: Bearer k",
		`"kind":"azure-openai","api_version":"2024-10-21","auth":{"secret":"k","query":"code"}`:  ": k",
	} {
		u, faults := compileProvider(t, `{"base_url":"http://up",`+members+`}`, nil)
		wantFaults(t, members, faults)
		if got := u.Credential.Header + ": " + u.Credential.Value.Reveal(); got != want {
			t.Errorf("%s: got %q, want %q", members, got, want)
		}
	}
}

func TestOnlyAzureHasAVersionOfItsAPI(t *testing.T) {
	for members, want := range map[string]string{
		`"kind":"azure-openai","base_url":"https://x.openai.azure.com"`:                                   "/api_version required",
		`"kind":"azure-openai","base_url":"https://x.openai.azure.com","api_version":"a b"`:               "/api_version version",
		`"kind":"azure-openai","base_url":"https://x.openai.azure.com/openai","api_version":"2024-10-21"`: "/base_url resource",
		`"kind":"openai","base_url":"https://x.openai.azure.com/openai/v1","api_version":"2024-10-21"`:    "/api_version exclusive",
		`"kind":"anthropic","base_url":"https://api.anthropic.com/v1","api_version":"2023-06-01"`:         "/api_version exclusive",
		`"kind":"anthropic","base_url":"http://up","auth":{"secret":"k","header":"anthropic-version"}`:    "/auth/header reserved-header",
	} {
		if _, faults := compileProvider(t, `{`+members+`}`, nil); !slices.ContainsFunc(faults, func(f core.Fault) bool { return f.Pointer+" "+f.Rule == want }) {
			t.Errorf("%s: got %v, want %s", members, faults, want)
		}
	}
}

func TestProviderFaultsPointAtTheirField(t *testing.T) {
	for body, want := range map[string]string{
		`"auth":{"secret":""}`:                                                   "/auth/secret required",
		`"auth":{"secret":"k","query":"q","header":"h"}`:                         "/auth/query exclusive",
		`"auth":{"secret":"k","query":"q","scheme":""}`:                          "/auth/query exclusive",
		`"auth":{"secret":"k","header":"a b"}`:                                   "/auth/header header-name",
		`"auth":{"secret":"line\nbreak"}`:                                        "/auth/secret header-value",
		`"headers":{"bad name":"v"}`:                                             "/headers/bad name header-name",
		`"headers":{"a/b~c":"v"}`:                                                "/headers/a~1b~0c header-name",
		`"headers":{"authorization":"v"}`:                                        "/headers/authorization reserved-header",
		`"headers":{"via":"v"}`:                                                  "/headers/via reserved-header",
		`"headers":{"X-Request-ID":"v"}`:                                         "/headers/X-Request-ID reserved-header",
		`"auth":{"secret":"k","header":"X-Key"},"headers":{"x-key":"v"}`:         "/headers/x-key reserved-header",
		`"auth":{"secret":"k","header":"x-api-key"},"headers":{"X-Api-Key":"v"}`: "/headers/X-Api-Key reserved-header",
		`"headers":{"HOST":"v"}`:                                                 "/headers/HOST reserved-header",
		`"headers":{"x-a":"v\r\nInjected: 1"}`:                                   "/headers/x-a header-value",
		`"headers":{"X-A":"1","x-a":"2"}`:                                        "/headers/x-a unique",
		`"tls":{"ca_pem":"nothing"}`:                                             "/tls/ca_pem pem",
		`"tls":{"cert_pem":"x"}`:                                                 "/tls pair",
		`"tls":{"cert_pem":"x","key_pem":"y"}`:                                   "/tls/cert_pem pem",
		`"auth":{"secret":"${env:TEST_NOT_THERE}"}`:                              "/auth/secret environment",
		`"auth":{"secret":"k","header":"a b","query":"q"},"tls":{}`:              "/auth/header header-name",
	} {
		u, faults := compileProvider(t, `{"kind":"openai","base_url":"http://up",`+body+`}`, func(string) (string, bool) { return "", false })
		if u != nil || len(faults) < 2 || faults[1].Pointer+" "+faults[1].Rule != want || faults[1].Severity != core.SeverityReject {
			t.Errorf("%s: got %v, want %s", body, shorts(faults), want)
		}
	}
	_, faults := compileProvider(t, `{"kind":"other","base_url":"http://up"}`, nil)
	wantFaults(t, "kind", faults, "model/a#/provider reference reject", "provider/p#/kind enum reject")
}

func TestCredentialsMayNotBeInAHeaderThatMeansSomethingElse(t *testing.T) {
	for _, name := range []string{
		"Accept", "Accept-Encoding", "Connection", "Content-Encoding", "Content-Length", "Content-Type", "Cookie", "Expect", "Host", "Keep-Alive", "OpenAI-Beta", "Proxy-Connection",
		"TE", "Traceparent", "Tracestate", "Trailer", "Transfer-Encoding", "Upgrade", "User-Agent", "Via", "X-Request-ID",
	} {
		for _, spelling := range []string{name, strings.ToLower(name), strings.ToUpper(name)} {
			_, faults := compileProvider(t, `{"kind":"openai","base_url":"http://up","auth":{"secret":"k","header":"`+spelling+`"}}`, nil)
			wantFaults(t, spelling, faults, "model/a#/provider reference reject", "provider/p#/auth/header reserved-header reject")
		}
	}
	for _, name := range []string{"Authorization", "Proxy-Authorization", "X-Api-Key", "api-key", "x-goog-api-key", "X-Own"} {
		_, faults := compileProvider(t, `{"kind":"openai","base_url":"http://up","auth":{"secret":"k","header":"`+name+`"},"headers":{"X-Other":"v"}}`, nil)
		wantFaults(t, name, faults)
	}
}

func TestFixedHeadersAreCanonicalAndSorted(t *testing.T) {
	u, faults := compileProvider(t, `{"kind":"openai","base_url":"http://up","headers":{"x-b":"2","X-A":"1","openai-organization":"o"}}`, nil)
	wantFaults(t, "headers", faults)
	want := []core.Header{{Name: "Openai-Organization", Value: "o"}, {Name: "X-A", Value: "1"}, {Name: "X-B", Value: "2"}}
	if len(u.Headers) != 3 {
		t.Fatalf("got %v, want %v", u.Headers, want)
	}
	for i := range want {
		if u.Headers[i] != want[i] {
			t.Errorf("got %v, want %v", u.Headers, want)
			break
		}
	}
}

func TestEnvironmentReferenceResolvesOnTheNodeOnly(t *testing.T) {
	const body = `{"kind":"openai","base_url":"http://up","auth":{"secret":"${env:KEY}"}}`
	node, faults := compileProvider(t, body, func(name string) (string, bool) { return "value-of-" + name, true })
	wantFaults(t, "on a node", faults)
	control, faults := compileProvider(t, body, nil)
	wantFaults(t, "on the control plane", faults)
	if got := node.Credential.Value.Reveal(); got != "Bearer value-of-KEY" {
		t.Errorf("on a node: got %q, want %q", got, "Bearer value-of-KEY")
	}
	if node.Credential.Key != control.Credential.Key {
		t.Error("the credential's key depends on the environment, so nodes would not share signals")
	}
}

func TestTheGatewaysOwnEnvironmentIsOutOfReach(t *testing.T) {
	for where, env := range map[string]core.Env{
		"on a node":            func(string) (string, bool) { return "value", true },
		"on the control plane": nil,
	} {
		for _, name := range []string{"SLUICE_ADMIN_TOKEN", "SLUICE_ETCD_PASSWORD", "SLUICE_", "SLUICE_ANYTHING", "sluice_etcd_password", "Sluice_Etcd_Password"} {
			_, faults := compileProvider(t, `{"kind":"openai","base_url":"http://up","auth":{"secret":"${env:`+name+`}","query":"key"}}`, env)
			wantFaults(t, where+" "+name, faults, "model/a#/provider reference reject", "provider/p#/auth/secret environment reject")
		}
		for _, secret := range []string{"${env:SLUICE}", "${env:MY_SLUICE_KEY}", "${env:SLUICEKEY}", "SLUICE_ADMIN_TOKEN", "x${env:SLUICE_ADMIN_TOKEN}"} {
			_, faults := compileProvider(t, `{"kind":"openai","base_url":"http://up","auth":{"secret":"`+secret+`"}}`, env)
			wantFaults(t, where+" "+secret, faults)
		}
	}
}

func TestSignalKeyNamesWhatDeterminesTheSpeed(t *testing.T) {
	const base = `provider/p {"kind":"openai","base_url":"http://up","auth":{"secret":"k"}}`
	key := func(provider, model string) uint64 {
		t.Helper()
		s, faults := core.Compile(document(t, provider, model), core.Site{})
		wantFaults(t, provider+model, faults)
		return uint64(s.Targets()[0].Signal)
	}
	was := key(base, `model/a {"provider":"p","upstream_model":"m"}`)
	if got := key(`provider/q {"kind":"openai","base_url":"http://up/","auth":{"secret":"k"},"headers":{"x-a":"1"}}`, `model/renamed {"provider":"q","upstream_model":"m","timeouts":{"idle":"1s"}}`); got != was {
		t.Error("renaming changes the key, want the history kept")
	}
	for what, got := range map[string]uint64{
		"another upstream model": key(base, `model/a {"provider":"p","upstream_model":"n"}`),
		"another address":        key(`provider/p {"kind":"openai","base_url":"http://down","auth":{"secret":"k"}}`, modelA),
		"another credential":     key(`provider/p {"kind":"openai","base_url":"http://up","auth":{"secret":"l"}}`, modelA),
		"another kind":           key(`provider/p {"kind":"anthropic","base_url":"http://up","auth":{"secret":"k","header":"Authorization"}}`, modelA),
		"no credential":          key(`provider/p {"kind":"openai","base_url":"http://up"}`, modelA),
	} {
		if got == was {
			t.Errorf("%s keeps the key, want a fresh start", what)
		}
	}
}

func TestCredentialIsOneWhereItIsSentToOneHostOnly(t *testing.T) {
	key := func(provider string) string {
		t.Helper()
		u, faults := compileProvider(t, `{"kind":"openai",`+provider+`}`, nil)
		wantFaults(t, provider, faults)
		return u.Credential.Key
	}
	was := key(`"base_url":"http://up:8000/v1","auth":{"secret":"EMPTY"}`)
	for _, same := range []string{
		`"base_url":"http://up:8000/v2/","auth":{"secret":"EMPTY"}`,
		`"base_url":"http://UP:8000/v1","auth":{"secret":"EMPTY","header":"authorization"},"headers":{"x-a":"1"}`,
	} {
		if key(same) != was {
			t.Errorf("%s: got a key of its own, want the one of the same secret on the same host", same)
		}
	}
	seen := map[string]string{was: "the first", "": "none"}
	for _, other := range []string{
		`"base_url":"http://other:8000/v1","auth":{"secret":"EMPTY"}`,
		`"base_url":"http://up:8001/v1","auth":{"secret":"EMPTY"}`,
		`"base_url":"https://up:8000/v1","auth":{"secret":"EMPTY"}`,
		`"base_url":"http://up:8000/v1","auth":{"secret":"EMPTY","header":"X-Api-Key"}`,
		`"base_url":"http://up:8000/v1","auth":{"secret":"EMPTY","query":"X-Api-Key"}`,
		`"base_url":"http://up:8000/v1","auth":{"secret":"empty"}`,
	} {
		k := key(other)
		if before, taken := seen[k]; taken {
			t.Errorf("%s: got the key of %s, want its own", other, before)
		}
		seen[k] = other
	}
	if got := key(`"base_url":"http://up:8000/v1"`); got != "" {
		t.Errorf("without auth: got key %q, want none", got)
	}
}

func TestEqualTLSSettingsShareOnePool(t *testing.T) {
	pool := func(tls string) string {
		t.Helper()
		u, faults := compileProvider(t, `{"kind":"openai","base_url":"https://up"`+tls+`}`, nil)
		wantFaults(t, tls, faults)
		return u.Pool
	}
	none, named, again, insecure := pool(""), pool(`,"tls":{"server_name":"x"}`), pool(`,"tls":{"server_name":"x"}`), pool(`,"tls":{"server_name":"x","insecure_skip_verify":true}`)
	if none == named || named != again || named == insecure {
		t.Errorf("got pools %q, %q, %q, %q; want the second and third alone equal", none, named, again, insecure)
	}
}
