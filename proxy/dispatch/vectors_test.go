package dispatch_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/proxy/embed"
)

const vectorsKey = "key-of-the-embedding-endpoint"

// embeds has the examples of the snapshot embedded in the background until the test ends.
func (h *harness) embeds(transport func(*core.Upstream) http.RoundTripper, logger *slog.Logger) embed.Collections {
	h.t.Helper()
	collections, err := embed.Collect(h.snapshot)
	if err != nil {
		h.t.Fatal(err)
	}
	embedder := embed.New(embed.Config{Transport: transport, UserAgent: "sluice/test", Logger: logger})
	h.examples = embed.NewExamples(embed.ExamplesConfig{Embedder: embedder, Logger: logger})
	h.examples.Want(collections.List())
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		h.examples.Run(ctx)
	}()
	h.t.Cleanup(func() {
		cancel()
		<-done
		embedder.Close()
	})
	return collections
}

// ready waits until every example has its vector.
func (h *harness) ready() *harness {
	h.t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for range 20_000 {
		missing := false
		for _, s := range h.examples.States() {
			missing = missing || !s.Ready
		}
		if !missing {
			return h
		}
		<-tick.C
	}
	h.t.Fatalf("examples are not ready: %+v", h.examples.States())
	return h
}

// vectors embeds by a list of texts and their vectors, "text: 1 0 0"; every other text has the last one's vector.
func vectors(lines ...string) http.HandlerFunc {
	known := map[string]string{}
	other := ""
	for _, line := range lines {
		text, values, _ := strings.Cut(line, ": ")
		known[text] = "[" + strings.ReplaceAll(values, " ", ",") + "]"
		other = known[text]
	}
	return func(w http.ResponseWriter, r *http.Request) {
		var data []string
		for i, text := range embedded(r) {
			data = append(data, fmt.Sprintf(`{"object":"embedding","index":%d,"embedding":%s}`, i, cmp.Or(known[text], other)))
		}
		status(200, `{"object":"list","data":[`+strings.Join(data, ",")+`]}`)(w, r)
	}
}

// embedded returns the texts of a call.
func embedded(r *http.Request) []string {
	var a asked
	if err := json.NewDecoder(r.Body).Decode(&a); err != nil {
		panic(err)
	}
	return a.Input
}

// asked is a call of an embedding endpoint.
type asked struct {
	Input []string
	Model *string
}

// call returns the i-th call of an embedding endpoint, from the end if i is negative.
func (u *upstream) call(t *testing.T, i int) asked {
	t.Helper()
	u.mu.Lock()
	defer u.mu.Unlock()
	if i < 0 {
		i += len(u.bodies)
	}
	var a asked
	if err := json.Unmarshal([]byte(u.bodies[i]), &a); err != nil {
		t.Fatalf("%s: %v", u.bodies[i], err)
	}
	return a
}

// then replaces what an upstream does from now on.
func (u *upstream) then(script ...http.HandlerFunc) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.script = append(make([]http.HandlerFunc, u.hits), script...)
}

// asks is a chat request whose last message of the user is that.
func asks(text string) string {
	quoted, _ := json.Marshal(text)
	return `{"model":"r","messages":[{"role":"user","content":` + string(quoted) + `}]}`
}
