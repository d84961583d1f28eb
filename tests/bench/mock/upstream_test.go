package mock_test

import (
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/sluice-gateway/sluice/tests/bench/mock"
)

func serve(t *testing.T, cfg mock.Config) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- mock.New(cfg).Serve(l) }()
	t.Cleanup(func() {
		_ = l.Close()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return "http://" + l.Addr().String() + "/v1/chat/completions"
}

func post(t *testing.T, url, body string) (*http.Response, string) {
	t.Helper()
	resp, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(got)
}

func TestAnAnswerHasTheLengthThatWasAskedFor(t *testing.T) {
	url := serve(t, mock.Config{AnswerBytes: 1024})
	for range 3 { // on one connection
		if resp, body := post(t, url, `{"model":"m"}`); resp.StatusCode != http.StatusOK || len(body) != 1024 {
			t.Fatalf("got status %d and %d bytes, want 200 and 1024", resp.StatusCode, len(body))
		}
	}
}

func TestAStreamHasTheEventsThatWereAskedForAndEnds(t *testing.T) {
	url := serve(t, mock.Config{AnswerBytes: 1})
	_, body := post(t, url, `{"stream":true,"max_tokens":12,"messages":[]}`)
	if got, want := strings.Count(body, "\n\n"), 12+mock.Extra; got != want {
		t.Errorf("got %d events, want %d in %q", got, want, body)
	}
	if !strings.HasSuffix(body, "data: [DONE]\n\n") {
		t.Errorf("got %q, want [DONE] at the end", body)
	}
}

func TestTheAnthropicAPIIsAnsweredInItsOwnWords(t *testing.T) {
	url := strings.Replace(serve(t, mock.Config{AnswerBytes: 1024}), "chat/completions", "messages", 1)
	if _, body := post(t, url, `{"model":"m"}`); len(body) != 1024 || !strings.Contains(body, `"type":"message"`) {
		t.Errorf("got %d bytes: %s", len(body), body)
	}
	_, body := post(t, url, `{"stream":true,"max_tokens":12,"messages":[]}`)
	if got := strings.Count(body, "event: content_block_delta\n"); got != 12 || !strings.Contains(body, "event: message_stop\n") {
		t.Errorf("got %d events of content, want 12 and an end in %q", got, body)
	}
}
