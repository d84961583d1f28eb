package serve_test

import "testing"

// TestEveryRefusedCredentialGetsTheSameAnswer: which keys exist is nobody's business.
func TestEveryRefusedCredentialGetsTheSameAnswer(t *testing.T) {
	e := newEdge(t)
	want := ""
	for _, headers := range [][]string{
		nil, {auth, ""}, {auth, "Bearer"}, {auth, "Bearer "}, {auth, "Bearer NOPE"}, {auth, "Bearer DISABLED"}, {auth, "Bearer EXPIRED"}, {auth, "Basic KEY"}, {auth, "KEY"},
		{auth, "Bearer\tKEY"}, {auth, "BearerKEY"}, {auth, "xBearer KEY"}, {auth, "Bearer KEY, Bearer KEY"}, {auth, "Bearer Bearer KEY"},
		{"X-Api-Key", ""}, {"X-Api-Key", "Bearer KEY"}, {"Api-Key", "NOPE"}, {auth, bearer, "Api-Key", "OTHER"}, {auth, bearer, "X-Api-Key", ""}, {"X-Api-Key", "KEY", "Api-Key", "OTHER"},
		{"X-Api-Key", "KEY", "X-Api-Key", "OTHER"}, {auth, bearer, auth, ""},
	} {
		for _, path := range []string{"/v1/chat/completions", "/v1/models", "/v1/models/smart"} {
			method := "GET"
			if path == "/v1/chat/completions" {
				method = "POST"
			}
			resp, body := e.send(method, path, "", append([]string{"X-Request-Id", "one"}, headers...)...)
			checkError(t, resp, body, 401, "invalid_api_key")
			if want == "" {
				want = body
			}
			if body != want {
				t.Errorf("%v on %s: got %s, want %s as for every other", headers, path, body, want)
			}
		}
	}
}
