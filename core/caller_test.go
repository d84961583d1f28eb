package core_test

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/core"
)

func hashed(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:])
}

func TestCallerIsFoundByTheHashOfItsKey(t *testing.T) {
	s, faults := core.Compile(document(t, `api_key/k {"key_sha256":"`+hashed("secret")+`","allowed_models":["gpt-*","a?"]}`), core.Site{})
	wantFaults(t, "a good key", faults)
	c, ok := s.Caller(sha256.Sum256([]byte("secret")))
	if !ok || c.ID != "k" || !c.Valid(time.Now()) {
		t.Fatalf("got %+v, %v; want the caller k, valid", c, ok)
	}
	if _, ok := s.Caller(sha256.Sum256(nil)); ok {
		t.Error("the empty key is a caller, want not")
	}
	for name, want := range map[string]bool{"gpt-4": true, "gpt-": true, "gpt": false, "a1": true, "a": false, "a12": false, "": false, "GPT-4": false} {
		if got := c.Allows(name); got != want {
			t.Errorf("globs gpt-* and a?: %q allowed is %v, want %v", name, got, want)
		}
	}
}

func TestEmptyListAllowsNothing(t *testing.T) {
	s, _ := core.Compile(document(t, `api_key/k {"key_sha256":"`+hashed("x")+`","allowed_models":[]}`, `api_key/l {"key_sha256":"`+hashed("y")+`","allowed_models":["*"]}`), core.Site{})
	none, _ := s.Caller(sha256.Sum256([]byte("x")))
	all, _ := s.Caller(sha256.Sum256([]byte("y")))
	if none.Allows("a") || none.Allows("") || !all.Allows("a.b-c_d") {
		t.Error("an empty list allows something or * does not allow everything")
	}
}

func TestKeyIsValidUntilItExpiresOrIsDisabled(t *testing.T) {
	s, _ := core.Compile(document(t,
		`api_key/k {"key_sha256":"`+hashed("x")+`","allowed_models":["*"],"expires_at":"2026-01-01T00:00:00Z"}`,
		`api_key/l {"key_sha256":"`+hashed("y")+`","allowed_models":["*"],"disabled":true}`), core.Site{})
	end := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	k, _ := s.Caller(sha256.Sum256([]byte("x")))
	l, _ := s.Caller(sha256.Sum256([]byte("y")))
	if !k.Valid(end.Add(-1)) || k.Valid(end) || l.Valid(end) {
		t.Error("want valid just before the end, not at it, and never when disabled")
	}
}

func TestAPIKeyFaultsPointAtTheirField(t *testing.T) {
	hash := hashed("x")
	for body, want := range map[string]string{
		`{"allowed_models":[]}`:                                       "api_key/k#/key_sha256 sha256 reject",
		`{"key_sha256":"` + hash[:62] + `"}`:                          "api_key/k#/key_sha256 sha256 reject",
		`{"key_sha256":"` + hash[:63] + `"}`:                          "api_key/k#/key_sha256 sha256 reject",
		`{"key_sha256":"` + hash + `00"}`:                             "api_key/k#/key_sha256 sha256 reject",
		`{"key_sha256":"` + strings.Repeat("0", 1000) + `"}`:          "api_key/k#/key_sha256 sha256 reject",
		`{"key_sha256":"` + hash[:62] + `zz"}`:                        "api_key/k#/key_sha256 sha256 reject",
		`{"key_sha256":"` + hash + `","allowed_models":["ok","[a-"]}`: "api_key/k#/allowed_models/1 glob reject",
		`{"key_sha256":"` + hash + `","allowed_models":["x\\"]}`:      "api_key/k#/allowed_models/0 glob reject",
	} {
		_, faults := core.Compile(document(t, "api_key/k "+body), core.Site{})
		wantFaults(t, body, faults, want)
	}
}

func TestTwoNamesForOneKeyAreRefused(t *testing.T) {
	s, faults := core.Compile(document(t, `api_key/k {"key_sha256":"`+hashed("x")+`","allowed_models":["*"]}`, `api_key/l {"key_sha256":"`+strings.ToUpper(hashed("x"))+`"}`), core.Site{})
	wantFaults(t, "one hash twice", faults, "api_key/l#/key_sha256 unique reject")
	if c, _ := s.Caller(sha256.Sum256([]byte("x"))); c.ID != "k" {
		t.Errorf("got caller %s, want k, the first by id", c.ID)
	}
}
