package dispatch_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestNothingThatAnUpstreamSaysBringsItsCredentialBack: in whatever place it says it, and in the log neither.
func TestNothingThatAnUpstreamSaysBringsItsCredentialBack(t *testing.T) {
	const secret, prompt = "sk-upstream-secret-value", "PROMPT-OF-A-CALLER"
	raw := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				panic(err)
			}
			defer conn.Close()
			io.WriteString(conn, text)
		}
	}
	said := `{"error":{"message":"key ` + secret + ` is over","code":"` + secret + `","param":"` + secret + `","type":"` + secret + `"}}`
	for name, c := range map[string]struct {
		script http.HandlerFunc
		body   string
	}{
		"an error status":             {status(400, said), question},
		"a server's error":            {status(500, said), question},
		"an error inside a 200":       {status(200, said), question},
		"a first event":               {events("data: " + said + "\n\n"), streamed},
		"an event after content":      {events(token("a"), "data: "+said+"\n\n"), streamed},
		"a malformed header":          {raw("HTTP/1.1 200 OK\r\nfoo key " + secret + " " + prompt + "\r\n\r\n"), question},
		"a malformed status":          {raw("HTTP/1.1 " + secret + prompt + "\r\n\r\n"), question},
		"something that is not HTTP":  {raw(secret + " " + prompt + "\r\n\r\n"), question},
		"a content coding":            {status(200, "x", "Content-Encoding", secret), question},
		"a chunk that is no length":   {raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + secret + "\r\n"), question},
		"a redirect":                  {status(302, "", "Location", "http://x/?"+secret), question},
		"an unauthorized with a body": {status(401, said), question},
	} {
		t.Run(name, func(t *testing.T) {
			h := gateway(t, options{routing: `,"retries":0`, provider: `,"auth":{"secret":"` + secret + `"}`}, newUpstream(t, c.script))
			got := h.post(c.body)
			var headers strings.Builder
			got.Header.Write(&headers)
			if strings.Contains(got.body+headers.String(), secret) {
				t.Errorf("the client got %s%s", headers.String(), got.body)
			}
			if log := h.log.String(); strings.Contains(log, secret) || strings.Contains(log, prompt) || !strings.Contains(log, "attempt failed") {
				t.Errorf("the log says %s", log)
			}
		})
	}
}
