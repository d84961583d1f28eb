package provider

import (
	"bytes"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares got with the file of that name under testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
	}
}

const callerKey = "GATEWAYKEY"

// caller is the header of a caller who sends more than anyone may see.
func caller() http.Header {
	h := http.Header{}
	for _, name := range []string{
		"Authorization", "X-Api-Key", "Api-Key", "X-Goog-Api-Key", "Cookie", "Proxy-Authorization", "Proxy-Connection", "X-Target-Url",
		"Openai-Organization", "Openai-Project", "X-Forwarded-For", "Forwarded", "X-Sluice-Admin", "X-Request-Id", "User-Agent", "Referer", "Origin",
		"Connection", "Keep-Alive", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "Accept-Encoding", "Accept", "Content-Encoding", "Content-Length",
		"Content-Type", "Expect", "Host", "Idempotency-Key", "Anthropic-Version", "Anthropic-Beta",
	} {
		h.Set(name, callerKey)
	}
	h.Set("Content-Length", "100")
	h.Set("OpenAI-Beta", "assistants=v2")
	h.Set("Traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	h.Set("Via", "1.1 proxy-of-"+callerKey)
	return h
}

func TestTheWholeRequestIsWhatTheGoldenFilesSay(t *testing.T) {
	for _, c := range []struct {
		file     string
		provider provider
		stream   bool
	}{
		{"header.golden", provider{secret: "sk-upstream"}, false},
		{"stream.golden", provider{base: "http://127.0.0.1:9000/", secret: "sk-upstream", header: "api-key", headers: map[string]string{"OpenAI-Organization": "org", "user-agent": "custom"}}, true},
		{"query.golden", provider{base: "https://[::1]:8443/a%2Fb/v1", secret: "s&k=1 +/ü", query: "api key"}, false},
		{"none.golden", provider{}, false},
	} {
		req := plain.NewRequest(t.Context(), Call{
			Target: compiled(t, c.provider), Path: "/chat/completions", Body: bodyOf(t, `{"model":"a","x":1.0}`, "a-name-that-is-much-longer"), Stream: c.stream,
			Caller: caller(), RequestID: "req-1", UserAgent: "sluice/test",
		})
		var wire bytes.Buffer
		if err := req.Write(&wire); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(wire.String(), callerKey) {
			t.Errorf("%s: the request holds what the caller sent:\n%s", c.file, wire.String())
		}
		golden(t, c.file, wire.Bytes())
	}
}

func TestARequestThroughARealTransportHoldsNothingOfTheCaller(t *testing.T) {
	dumps := make(chan string, 1)
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		b, err := httputil.DumpRequest(r, true)
		if err != nil {
			t.Error(err)
		}
		dumps <- string(b) + strconv.FormatInt(r.ContentLength, 10) + strings.Join(r.TransferEncoding, "")
	}))
	defer srv.Close()
	const body = `{"model":"a","messages":[]}`
	req := plain.NewRequest(t.Context(), Call{
		Target: compiled(t, provider{base: srv.URL + "/v1", secret: "sk-upstream"}), Path: "/chat/completions", Body: bodyOf(t, body, strings.Repeat("long", 10)), Caller: caller(),
	})
	resp, err := srv.Client().Transport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	got := <-dumps
	if strings.Contains(got, callerKey) || strings.Contains(got, "chunked") {
		t.Errorf("the upstream saw\n%s", got)
	}
	want := `{"model":"` + strings.Repeat("long", 10) + `","messages":[]}` + strconv.Itoa(len(body)+39)
	if !strings.HasPrefix(got, "POST /v1/chat/completions HTTP/1.1\r\n") || !strings.HasSuffix(got, want) || !strings.Contains(got, "\r\nAuthorization: Bearer sk-upstream\r\n") {
		t.Errorf("the upstream saw\n%s\nwant the path, the credential and at the end %s", got, want)
	}
}

func TestARequestCanBeSentAgain(t *testing.T) {
	req := plain.NewRequest(t.Context(), Call{Target: compiled(t, provider{}), Path: "/x", Body: bodyOf(t, `{"model":"a"}`, "b")})
	for range 2 {
		body, err := req.GetBody()
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(body)
		if err != nil || string(got) != `{"model":"b"}` || int64(len(got)) != req.ContentLength {
			t.Errorf("got %q and %v for a length of %d", got, err, req.ContentLength)
		}
	}
}

func TestAHeaderThatEndsAtThisConnectionIsNotSentOn(t *testing.T) {
	h := http.Header{"Openai-Beta": {"x"}, "Traceparent": {"y"}, "Connection": {"close, openai-BETA", "keep-alive"}}
	req := plain.NewRequest(t.Context(), Call{Target: compiled(t, provider{}), Path: "/x", Caller: h})
	if req.Header["Openai-Beta"] != nil || req.Header.Get("Traceparent") != "y" {
		t.Errorf("got %v, want Traceparent and no OpenAI-Beta", req.Header)
	}
}

func TestRequestsThatGoInCirclesAreCounted(t *testing.T) {
	target := compiled(t, provider{})
	h := http.Header{"Via": {"1.1 proxy-of-caller, 1.0 sluice"}}
	for want := range MaxHops + 1 {
		if got := Hops(h); got != want {
			t.Fatalf("after %d rounds: got %d hops in %v", want, got, h)
		}
		h = plain.NewRequest(t.Context(), Call{Target: target, Path: "/x", Caller: h}).Header
	}
	for _, c := range []struct {
		via  []string
		want int
	}{
		{nil, 0}, {[]string{""}, 0}, {[]string{"1.1 sluice-of-others, 1.1 vegur"}, 0}, {[]string{"1.1 sluice", "1.1 a,1.1 sluice ,\t1.1 sluice"}, 3},
		{[]string{strings.Repeat("1.1 sluice,", 10_000)}, MaxHops + 1},
	} {
		if got := Hops(http.Header{"Via": c.via}); got != c.want {
			t.Errorf("%.80q: got %d, want %d", c.via, got, c.want)
		}
	}
}
