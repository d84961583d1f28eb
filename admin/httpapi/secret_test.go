package httpapi

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/store"
	"github.com/sluice-gateway/sluice/store/storetest"
)

// stored returns the provider's secret as nodes read it.
func (w *world) stored(id string) string {
	w.t.Helper()
	img, err := w.store.Read(context.Background())
	if err != nil {
		w.t.Fatal(err)
	}
	var p core.Provider
	if err := json.Unmarshal(img.Items[core.Ref{Kind: core.KindProvider, ID: id}].Value, &p); err != nil {
		w.t.Fatal(err)
	}
	if p.Auth == nil {
		return ""
	}
	return p.Auth.Secret
}

const (
	secret     = "sk-SECRET-MARK-abcd"
	maskedForm = "***abcd"
)

func withSecret(s string) string {
	return `{"kind":"openai","base_url":"https://one.example/v1","auth":{"secret":"` + s + `"}}`
}

func TestASecretIsMaskedInEveryAnswer(t *testing.T) {
	w := newWorld(t)
	const path = "/admin/v1/providers/p"
	for _, got := range []answer{
		w.do("PUT", path, withSecret(secret)).want(201),
		w.do("PUT", path, withSecret(secret)).want(200),
		w.do("PATCH", path, `{"description":"x"}`).want(200),
		w.do("GET", path, "").want(200),
		w.do("GET", path, "", "Authorization: Bearer "+viewerToken).want(200),
		w.do("GET", "/admin/v1/providers", "").want(200),
	} {
		if !strings.Contains(string(got.body), `"secret":"`+maskedForm+`"`) {
			t.Errorf("%s: the mask is missing: %s", got.asked, got.body)
		}
	}
}

func TestAShownResourceCanBeSentBack(t *testing.T) {
	w := newWorld(t)
	const path = "/admin/v1/providers/p"
	w.do("PUT", path, withSecret(secret)).want(201)
	shown := string(w.do("GET", path, "").want(200).body)
	w.do("PUT", path, strings.Replace(shown, "one.example/v1", "one.example/v2", 1)).want(200)
	w.do("PATCH", path, `{"description":"changed"}`).want(200)
	w.do("PATCH", path, `{"auth":{"secret":"`+maskedForm+`","header":"X-Key"}}`).want(200)
	if got := w.stored("p"); got != secret {
		t.Errorf("stored secret: got %q, want %q", got, secret)
	}
}

func TestANewSecretReplacesTheStoredOne(t *testing.T) {
	w := newWorld(t)
	const path = "/admin/v1/providers/p"
	w.do("PUT", path, withSecret(secret)).want(201)
	for _, next := range []string{"sk-SECRET-MARK-second", "short", "${env:OPENAI_KEY}", secret} {
		w.do("PATCH", path, `{"auth":{"secret":"`+next+`"}}`).want(200)
		if got := w.stored("p"); got != next {
			t.Errorf("stored secret: got %q, want %q", got, next)
		}
	}
	w.do("PATCH", path, `{"auth":{"secret":"short"}}`).want(200)
	if got := string(w.do("GET", path, "").body); !strings.Contains(got, `"secret":"***"`) {
		t.Errorf("a short secret is shown in part: %s", got)
	}
	w.do("PATCH", path, `{"auth":{"secret":"***"}}`).want(200)
	if got := w.stored("p"); got != "short" {
		t.Errorf("stored secret: got %q, want short", got)
	}
	w.do("PATCH", path, `{"auth":null}`).want(200)
	if got := w.stored("p"); got != "" {
		t.Errorf("null did not remove the secret: %q", got)
	}
}

// at is the provider at that URL.
func (w *world) at(path, baseURL, secret string) {
	w.t.Helper()
	w.do("PUT", path, fmt.Sprintf(`{"kind":"openai","base_url":%q,"auth":{"secret":%q}}`, baseURL, secret))
}

func TestAStoredSecretIsNotSentToAnotherHost(t *testing.T) {
	w := newWorld(t)
	const path = "/admin/v1/providers/p"
	const before = "https://one.example/v1"
	for _, next := range []struct {
		url     string
		another bool
	}{
		{"https://two.example/v1", true}, {"http://one.example/v1", true}, {"https://one.example:8443/v1", true}, {"https://one.example.two/v1", true},
		{"https://sub.one.example/v1", true}, {"http://one.example:443/v1", true}, {"https://one.example./v1", true},
		{"https://one.example/v2", false}, {"https://one.example", false}, {"https://ONE.example/v1", false}, {"https://one.example:443/v1", false}, {before, false},
	} {
		for _, c := range []struct {
			method, body, stored string
			kept                 bool
		}{
			{"PUT", `{"kind":"openai","base_url":%q,"auth":{"secret":"` + maskedForm + `"}}`, secret, true},
			{"PATCH", `{"base_url":%q}`, secret, true},
			{"PATCH", `{"base_url":%q,"auth":{"header":"X-Key"}}`, secret, true},
			{"PATCH", `{"base_url":%q,"auth":{"secret":"` + maskedForm + `"}}`, secret, true},
			{"PUT", `{"kind":"openai","base_url":%q,"auth":{"secret":"` + secret + `"}}`, secret, false},
			{"PATCH", `{"base_url":%q,"auth":{"secret":"` + secret + `"}}`, secret, false},
			{"PATCH", `{"base_url":%q,"auth":{"secret":"sk-SECRET-MARK-new1"}}`, "sk-SECRET-MARK-new1", false},
			{"PATCH", `{"base_url":%q,"auth":{"secret":"${env:KEY}"}}`, "${env:KEY}", false},
			{"PATCH", `{"base_url":%q,"auth":null}`, "", false},
			{"PUT", `{"kind":"openai","base_url":%q}`, "", false},
		} {
			w.at(path, before, secret)
			got := w.do(c.method, path, fmt.Sprintf(c.body, next.url))
			if !next.another || !c.kept {
				if got.want(200); w.stored("p") != c.stored {
					t.Errorf("%s %s: stored secret %q, want %q", c.method, fmt.Sprintf(c.body, next.url), w.stored("p"), c.stored)
				}
				continue
			}
			if faults := brief(got.problem(422, "refused").Errors); len(faults) != 1 || faults[0] != "#/auth/secret secret" {
				t.Errorf("%s to %s: got %v, want one fault of the secret", c.method, next.url, faults)
			}
		}
	}
}

func TestAReferenceToTheEnvironmentOrNoSecretMayGoAnywhere(t *testing.T) {
	w := newWorld(t)
	const path = "/admin/v1/providers/p"
	w.at(path, "https://one.example/v1", "${env:KEY}")
	w.do("PATCH", path, `{"base_url":"https://two.example/v1"}`).want(200)
	shown := string(w.do("GET", path, "").want(200).body)
	w.do("PUT", path, strings.Replace(shown, "two.example", "three.example", 1)).want(200)
	if got := w.stored("p"); got != "${env:KEY}" {
		t.Errorf("stored secret: got %q", got)
	}
	w.do("PATCH", path, `{"auth":null}`).want(200)
	w.do("PATCH", path, `{"base_url":"https://four.example/v1"}`).want(200)
}

func TestAReferenceToTheEnvironmentIsShown(t *testing.T) {
	w := newWorld(t)
	got := w.do("PUT", "/admin/v1/providers/p", withSecret("${env:OPENAI_KEY}")).want(201)
	if !strings.Contains(string(got.body), `"${env:OPENAI_KEY}"`) {
		t.Errorf("got %s", got.body)
	}
}

func TestAForeignMaskIsRefused(t *testing.T) {
	w := newWorld(t)
	const path = "/admin/v1/providers/p"
	w.do("PUT", path, withSecret(maskedForm)).problem(422, "refused")
	w.do("PUT", path, withSecret(secret)).want(201)
	for _, mask := range []string{"***", "***wxyz", "***bcd"} {
		p := w.do("PUT", path, withSecret(mask)).problem(422, "refused")
		if got := brief(p.Errors); len(got) != 1 || got[0] != "#/auth/secret masked" {
			t.Errorf("%q: got %v", mask, got)
		}
	}
	w.do("PATCH", path, `{"auth":{"secret":""}}`).problem(422, "refused")
	if got := w.stored("p"); got != secret {
		t.Errorf("stored secret: got %q, want %q", got, secret)
	}
}

// The check of the whole test for the mark does the work here: see world.checkSecrecy.
func TestNoFaultRepeatsASecret(t *testing.T) {
	w := newWorld(t)
	w.do("PUT", "/admin/v1/providers/p", withSecret(secret)).want(201)
	for _, body := range []string{
		withSecret(`SECRET-MARK\n-in-two-lines`),
		withSecret(strings.Repeat("SECRET-MARK", 4000)),
		`{"kind":"openai","base_url":"https://x","auth":{"secret":["SECRET-MARK"]}}`,
		`{"kind":"openai","base_url":"https://x","auth":{"secret":{"a":"SECRET-MARK"}}}`,
		`{"kind":"openai","base_url":"https://x","auth":"SECRET-MARK"}`,
		`{"kind":"openai","base_url":"https://user:SECRET-MARK@x"}`,
		`{"kind":"openai","base_url":"https://x?key=SECRET-MARK"}`,
		`{"kind":"openai","base_url":"https://x","headers":{"Authorization":"SECRET-MARK"}}`,
		`{"kind":"openai","base_url":"https://x","headers":{"X-Thing":"SECRET-MARK\u0000"}}`,
		`{"kind":"openai","base_url":"https://x","tls":{"key_pem":"SECRET-MARK"}}`,
		`{"kind":"openai","base_url":"https://x","tls":{"cert_pem":"-----BEGIN CERTIFICATE-----","key_pem":"-----BEGIN PRIVATE KEY-----SECRET-MARK"}}`,
	} {
		w.do("PUT", "/admin/v1/providers/p", body).problem(422, "refused")
		w.do("PATCH", "/admin/v1/providers/p", body).problem(422, "refused")
	}
	for _, body := range []string{
		`{"auth":{"secret":"SECRET-MARK","secret":"SECRET-MARK"}}`, `{"auth":{"secret":SECRET-MARK}}`, `{"auth":{"secret":"SECRET-MARK`,
		`{"auth":{"secret":"SECRET-MARK"}} SECRET-MARK`, "{\"auth\":{\"secret\":\"SECRET-MARK\xff\"}}",
	} {
		w.do("PUT", "/admin/v1/providers/p", body).problem(400, "not-json")
	}
	w.do("GET", "/admin/v1/providers/p", "", "Authorization: Bearer SECRET-MARK").problem(401, "unauthenticated")
	w.do("GET", "/admin/v1/providers/p?wait=SECRET-MARK", "").want(200)
	w.do("PUT", "/admin/v1/providers/p?wait=SECRET-MARK", providerBody).problem(400, "bad-request")
}

func TestAClientKeyIsMaskedAndKept(t *testing.T) {
	w := newWorld(t)
	certificate, key := pair(t)
	body, err := json.Marshal(map[string]any{"kind": "openai", "base_url": "https://x", "tls": map[string]any{"cert_pem": certificate, "key_pem": key}})
	if err != nil {
		t.Fatal(err)
	}
	shown := w.do("PUT", "/admin/v1/providers/p", string(body)).want(201)
	if strings.Contains(string(shown.body), "PRIVATE KEY") {
		t.Errorf("the key is shown: %s", shown.body)
	}
	same(t, w.do("PUT", "/admin/v1/providers/p", string(shown.body)).want(200), shown)
}

// pair returns a certificate and its key in PEM.
func pair(t *testing.T) (certificate, key string) {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "x"}}
	der, err := x509.CreateCertificate(rand.Reader, c, c, k.Public(), k)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(k)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw}))
}

func TestASecretThatDoesNotOpenCanBeReplacedAndStandsInNobodysWay(t *testing.T) {
	w := newWorld(t)
	const path = "/admin/v1/providers/p"
	w.do("PUT", path, withSecret(secret)).want(201)
	cfg := w.cfg
	cfg.Keys, _ = storetest.Keyset(t) // which are others
	st, err := store.Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	w.url, _ = w.replica(st)
	if got := w.do("GET", path, "").want(200); !strings.Contains(string(got.body), `"secret":"***"`) {
		t.Errorf("the sealed secret is to be covered whole: %s", got.body)
	}
	w.do("PUT", "/admin/v1/models/m", `{"provider":"p","upstream_model":"x"}`).want(201)
	for _, refused := range []answer{
		w.do("PUT", path, withSecret("***")),
		w.do("PATCH", path, `{"description":"x"}`),
		w.do("PATCH", path, `{"base_url":"https://two.example/v1"}`),
	} {
		if p := refused.problem(422, "refused"); len(p.Errors) != 1 || p.Errors[0].Pointer != "/auth/secret" {
			t.Errorf("%s: got %v, want a fault of the secret", refused.asked, brief(p.Errors))
		}
	}
	w.do("PUT", path, withSecret(secret)).want(200)
	w.do("PATCH", path, `{"description":"x"}`).want(200)
}
