package scenario

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/tests/upstream"
)

// unembedded are the ways in which an endpoint fails to embed a prompt, and what the log calls each. One more is in
// anotherDimension.
var unembedded = []struct {
	name, cause string
	does        upstream.Behaviour
	dead        bool
}{
	{"unreachable", "unreachable", upstream.Behaviour{}, true},
	{"no answer in time", "timeout", upstream.Behaviour{FirstToken: time.Hour}, false},
	{"another status", "status", upstream.Behaviour{Status: http.StatusInternalServerError, Message: "down"}, false},
	{"not JSON", "not_json", upstream.Behaviour{Vectors: `<html>`}, false},
	{"a null vector", "null_vector", upstream.Behaviour{Vectors: `{"data":[{"index":0,"embedding":null}]}`}, false},
	{"a vector that is not numeric", "not_numeric", upstream.Behaviour{Vectors: `{"data":[{"index":0,"embedding":["1","0"]}]}`}, false},
	{"a missing index", "missing_index", upstream.Behaviour{Vectors: `{"data":[{"embedding":[1,0]}]}`}, false},
	{"no vector", "wrong_count", upstream.Behaviour{Vectors: `{"data":[]}`}, false},
	{"two vectors", "wrong_count", upstream.Behaviour{Vectors: `{"data":[{"index":0,"embedding":[1,0]},{"index":1,"embedding":[1,0]}]}`}, false},
	{"zero norm", "zero_norm", upstream.Behaviour{Vectors: `{"data":[{"index":0,"embedding":[0,0]}]}`}, false},
}

func aPromptThatIsNotEmbeddedIsServedAllTheSame(t *testing.T, env Environment) {
	env.Scale(t, 2)
	o := newOperator(t, env)
	key := newKey(o, "unembedded")
	c := newComparing(t, env, o, "unembedded")
	c.put(o, "unembedded-fail", `,"on_embedding_failure":"fail"`, "")
	ready(t, env.Proxies(), "unembedded-fail")

	var prompts int
	next := func() string { prompts++; return fmt.Sprintf("Write a function, canary-%d", prompts) }
	for i, failure := range unembedded {
		client := program(t, env.Proxies()[i%2], key)
		c.embedder.Behave(failure.does)
		if failure.dead {
			c.embedder.Die()
		}
		c.uncompared(client, failure.name, next(), next())
		c.recovers()
		client.says(c.routing, next()).servedBy(t, c.code, "once the endpoint is well after "+failure.name)
	}
	c.anotherDimension(env, key)
	c.isLeftAlone(program(t, env.Proxies()[0], key))

	log := env.Logs(t)
	causes := []string{"wrong_dimension", "open"}
	for _, failure := range unembedded {
		causes = append(causes, failure.cause)
	}
	for _, cause := range causes {
		if !strings.Contains(log, `"cause":"`+cause+`"`) {
			t.Errorf("no log names the cause %s", cause)
		}
	}
	if strings.Contains(log, "canary-") {
		t.Error("the log repeats a prompt")
	}
}

func (c comparing) recovers() {
	c.t.Helper()
	c.embedder.Behave(upstream.Behaviour{})
	if err := c.embedder.Revive(); err != nil {
		c.t.Fatal(err)
	}
}

// uncompared checks what becomes of two prompts that cannot be compared.
func (c comparing) uncompared(client *operator, why, one, other string) {
	c.t.Helper()
	before := c.hits()
	a := client.says(c.routing, one)
	a.servedBy(c.t, c.chat, why)
	a.led(c.t, "fallback", "")
	a = client.says("unembedded-fail", other)
	a.refused(c.t, http.StatusServiceUnavailable, "embedding_failed", why)
	a.led(c.t, "", "")
	if after := c.hits(); after != [3]int{before[0], before[1], before[2] + 1} {
		c.t.Errorf("%s: the models got %v requests, then %v, want one for the catchall", why, before, after)
	}
}

// anotherDimension has the endpoint give vectors of another dimension: the first prompt of each node cannot be compared,
// and then the examples are embedded anew, once.
func (c comparing) anotherDimension(env Environment, key string) {
	c.t.Helper()
	c.embedder.Behave(upstream.Behaviour{Dimensions: 256})
	one, other := program(c.t, env.Proxies()[0], key), program(c.t, env.Proxies()[1], key)
	one.says(c.routing, "Write a function of another dimension").servedBy(c.t, c.chat, "another dimension")
	other.says("unembedded-fail", "Write a function of another dimension").refused(c.t, http.StatusServiceUnavailable, "embedding_failed", "another dimension")
	ready(c.t, env.Proxies(), c.routing, "unembedded-fail")
	for _, client := range []*operator{one, other} {
		client.says(c.routing, "Write a function of the new dimension").servedBy(c.t, c.code, "examples of the new dimension")
	}
	if n := c.sent("Fix the bug in this code"); n != 2 {
		c.t.Errorf("an example was embedded %d times, want once in each dimension", n)
	}
}

// isLeftAlone has the endpoint refuse until it is not called any more.
func (c comparing) isLeftAlone(client *operator) {
	c.t.Helper()
	const enough, more = 5, 5
	c.embedder.Behave(upstream.Behaviour{Status: http.StatusBadGateway, Message: "down"})
	before := len(c.embedder.Requests())
	for i := range enough + more {
		client.says(c.routing, fmt.Sprintf("Write a function, canary-alone-%d", i)).servedBy(c.t, c.chat, "an endpoint that refuses")
	}
	if n := len(c.embedder.Requests()) - before; n != enough {
		c.t.Errorf("an endpoint that refuses was called %d times, want %d", n, enough)
	}
}
