package dispatch_test

import (
	"strings"
	"testing"
)

func TestUsageOfStreamsIsAskedForAndHidden(t *testing.T) {
	null := strings.Replace(token("a"), `]}`, `],"usage":null}`, 1)
	usage := `data: {"id":"x","choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4}}` + "\n\n"
	for name, c := range map[string]struct {
		body, provider string
		asked          bool
		want           string
	}{
		"the operator asks, the client does not": {streamed, `,"stream_usage":true`, true, token("a") + stop + done},
		"both ask":                               {strings.Replace(streamed, `"stream":true`, `"stream":true,"stream_options":{"include_usage":true}`, 1), `,"stream_usage":true`, true, null + stop + usage + done},
		"the client declines, the operator asks": {strings.Replace(streamed, `"stream":true`, `"stream":true,"stream_options":{"include_usage":false}`, 1), `,"stream_usage":true`, true, token("a") + stop + done},
		"nobody asks, the upstream tells anyway": {streamed, ``, false, null + stop + usage + done},
	} {
		t.Run(name, func(t *testing.T) {
			a := newUpstream(t, events(null, stop, usage, done))
			h := gateway(t, options{provider: c.provider}, a)
			if got := h.post(c.body); got.body != c.want {
				t.Errorf("client got %q, want %q", got.body, c.want)
			}
			if asked := strings.Contains(a.bodies[0], `"include_usage":true`); asked != c.asked {
				t.Errorf("upstream got %s", a.bodies[0])
			}
			if u := h.attempts.list[0].Usage; u.Prompt != 3 || u.Completion != 4 {
				t.Errorf("usage %+v", u)
			}
		})
	}
}

func TestParametersOfAModelChangeTheBodyForItAlone(t *testing.T) {
	a, b := newUpstream(t, status(500, "{}")), newUpstream(t, answer("ok"))
	h := gateway(t, options{routing: `,"retries":0`, model: `,"parameters":{"set":{"temperature":0.5},"remove":["logit_bias"]}`}, a, b)
	h.post(`{"model":"r","logit_bias":{"1":2},"temperature":1.0,"x":1e2,"messages":[]}`)
	if want := `{"model":"up-a","temperature":0.5,"x":1e2,"messages":[]}`; a.bodies[0] != want {
		t.Errorf("upstream got %s, want %s", a.bodies[0], want)
	}
}

func TestTimeoutsOfARoutingStandOverThoseOfItsTargets(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		h := n.gateway(t, options{routing: `,"timeouts":{"attempt":"40ms"}`, model: `,"timeouts":{"attempt":"1h"}`}, n.upstream("a", hang), n.upstream("b", answer("from b")))
		if got := h.post(question); !strings.Contains(got.body, "from b") {
			t.Errorf("client got %d %q", got.StatusCode, got.body)
		}
	})
}
