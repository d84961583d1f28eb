package provider

import (
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"
)

func FuzzDecodeError(f *testing.F) {
	for _, c := range errorBodies {
		f.Add(400, []byte(c.body))
	}
	target := compiled(f, provider{secret: "sk-secret"})
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		if status < 400 || status > 599 {
			t.Skip()
		}
		e := plain.DecodeError(target, status, http.Header{}, body)
		if e.Status != status || e.Type == "" {
			t.Fatalf("status %d and %q: got %+v", status, body, e)
		}
		checkPublic(t, body, e.Status, e.Message, e.Code)
		if strings.Contains(e.Message, "sk-secret") {
			t.Fatalf("%q: the message %q holds the secret", body, e.Message)
		}
	})
}

func checkPublic(t *testing.T, in []byte, status int, message, code string) {
	t.Helper()
	if status < 400 || status > 599 || message == "" || len(message) > maxMessage || !utf8.ValidString(message) || strings.ContainsAny(message, "\r\n\x1b\x00") {
		t.Fatalf("%q: got status %d and message %q", in, status, message)
	}
	if code != "" && !slugShape.MatchString(code) {
		t.Fatalf("%q: got code %q", in, code)
	}
}
