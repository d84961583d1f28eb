package core_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/sluice-gateway/sluice/core"
)

const canary = "sk-canary-1234567890"

func TestSecretNeverPrints(t *testing.T) {
	doc := document(t, `provider/p {"kind":"openai","base_url":"http://up","auth":{"secret":"`+canary+`"}}`, modelA)
	s, _ := core.Compile(doc, core.Site{})
	target := s.Targets()[0]
	secret := target.Upstream.Credential.Value
	if !strings.Contains(secret.Reveal(), canary) {
		t.Fatalf("Reveal returned %q, want the secret", secret.Reveal())
	}
	var out bytes.Buffer
	for _, v := range []any{secret, &secret, []core.Secret{secret}, map[core.Secret]core.Secret{secret: secret}, target.Upstream.Credential, *target.Upstream, target, *target, s, *s, s.Names()} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%T"} {
			fmt.Fprintf(&out, verb+"\n", v)
		}
		fmt.Fprintln(&out, v)
		slog.New(slog.NewJSONHandler(&out, nil)).Info("x", "v", v)
		slog.New(slog.NewTextHandler(&out, nil)).Info("x", "v", v)
		if raw, err := json.Marshal(v); err == nil {
			out.Write(raw)
		}
	}
	for _, form := range []string{canary, fmt.Sprintf("%x", canary), fmt.Sprintf("%X", canary)} {
		if at := strings.Index(out.String(), form); at >= 0 {
			t.Errorf("the secret is printed: …%s…", out.String()[max(0, at-80):at+20])
		}
	}
	if err := fmt.Errorf("wrapped: %w", fmt.Errorf("%v", secret)); strings.Contains(err.Error(), canary) {
		t.Errorf("an error holds the secret: %v", err)
	}
}

func TestFaultsDoNotRepeatSecrets(t *testing.T) {
	for _, body := range []string{
		`{"kind":"openai","base_url":"http://u:` + canary + `@h"}`,
		`{"kind":"openai","base_url":"http://h:` + canary + `"}`,
		`{"kind":"openai","base_url":"http://h?key=` + canary + `"}`,
		`{"kind":"openai","base_url":"http://h","auth":{"secret":"` + canary + `\u0000"}}`,
		`{"kind":"openai","base_url":"http://h","auth":{"secret":"` + canary + `","header":"a b"}}`,
		`{"kind":"openai","base_url":"http://h","headers":{"x-a":"` + canary + `\u0000"}}`,
		`{"kind":"openai","base_url":"http://h","tls":{"cert_pem":"` + canary + `","key_pem":"` + canary + `"}}`,
	} {
		_, faults := core.Compile(document(t, "provider/p "+body), core.Site{Env: func(string) (string, bool) { return canary + "\n", true }})
		if len(faults) == 0 {
			t.Errorf("%s: got no fault, want one", body)
		}
		if text := fmt.Sprint(faults); strings.Contains(text, canary) {
			t.Errorf("%s: the fault repeats the secret: %s", body, text)
		}
	}
}
