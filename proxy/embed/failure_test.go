package embed_test

import (
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/proxy/embed"
)

const (
	prompt = "the caller's private words"
	secret = "sk-upstream-secret"
	echo   = "what the endpoint says"
)

// says answers with a status and a body.
func says(status int, body string) func(http.ResponseWriter, *http.Request, call) bool {
	return func(w http.ResponseWriter, _ *http.Request, _ call) bool {
		w.WriteHeader(status)
		io.WriteString(w, body)
		return true
	}
}

func data(entries string) string {
	return `{"object":"list","note":"` + echo + ` ` + prompt + `","data":[` + entries + `]}`
}

// hijacked takes the connection away from the server and does something else with it.
func hijacked(f func(net.Conn)) func(http.ResponseWriter, *http.Request, call) bool {
	return func(w http.ResponseWriter, _ *http.Request, _ call) bool {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		f(conn)
		conn.Close()
		return true
	}
}

// failures are the ways in which an endpoint that is there fails.
var failures = []struct {
	name   string
	answer func(http.ResponseWriter, *http.Request, call) bool
	cause  embed.Cause
	status int
}{
	{"timeout before the head", func(_ http.ResponseWriter, r *http.Request, _ call) bool { <-r.Context().Done(); return true }, embed.TimedOut, 0},
	{"timeout in the body", func(w http.ResponseWriter, r *http.Request, _ call) bool {
		io.WriteString(w, `{"data":[`)
		http.NewResponseController(w).Flush()
		<-r.Context().Done()
		return true
	}, embed.TimedOut, 0},
	{"connection closed", hijacked(func(net.Conn) {}), embed.Unreachable, 0},
	{"connection closed in the body", hijacked(func(c net.Conn) {
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"+echo)
	}), embed.Unreachable, 0},
	{"no HTTP", hijacked(func(c net.Conn) { io.WriteString(c, echo+" "+prompt+"\r\n\r\n") }), embed.Unreachable, 0},
	{"status 500", says(500, echo+prompt), embed.BadStatus, 500},
	{"status 401", says(401, echo+secret), embed.BadStatus, 401},
	{"status 429", says(429, echo), embed.BadStatus, 429},
	{"status 400", says(400, `{"error":{"message":"`+echo+prompt+`"}}`), embed.BadStatus, 400},
	{"status 204", says(204, ""), embed.BadStatus, 204},
	{"status 201", says(201, data(`{"index":0,"embedding":[1,2]}`)), embed.BadStatus, 201},
	{"a page", says(200, "<html>"+echo+"</html>"), embed.NotJSON, 200},
	{"nothing", says(200, ""), embed.NotJSON, 200},
	{"half of it", says(200, `{"data":[{"index":0,"embedding":[1,2`), embed.NotJSON, 200},
	{"more than it", says(200, data(`{"index":0,"embedding":[1,2]}`)+"x"), embed.NotJSON, 200},
	{"NaN", says(200, data(`{"index":0,"embedding":[NaN]}`)), embed.NotJSON, 200},
	{"a list", says(200, `[{"index":0,"embedding":[1,2]}]`), embed.NoList, 200},
	{"an error with status 200", says(200, `{"error":{"message":"`+echo+`"}}`), embed.NoList, 200},
	{"null for the list", says(200, `{"data":null}`), embed.NoList, 200},
	{"null for the vector", says(200, data(`{"index":0,"embedding":null}`)), embed.NullVector, 200},
	{"no vector", says(200, data(`{"index":0}`)), embed.NullVector, 200},
	{"null for the entry", says(200, data(`null`)), embed.NullVector, 200},
	{"a word in the vector", says(200, data(`{"index":0,"embedding":[1,"`+echo+`"]}`)), embed.NotNumeric, 200},
	{"null in the vector", says(200, data(`{"index":0,"embedding":[1,null]}`)), embed.NotNumeric, 200},
	{"too large a number", says(200, data(`{"index":0,"embedding":[1,1e39]}`)), embed.NotNumeric, 200},
	{"an object for the vector", says(200, data(`{"index":0,"embedding":{"0":1}}`)), embed.NotNumeric, 200},
	{"no base64", says(200, data(`{"index":0,"embedding":"`+echo+`"}`)), embed.NotNumeric, 200},
	{"half a number in base64", says(200, data(`{"index":0,"embedding":"AACAPwA="}`)), embed.NotNumeric, 200},
	{"NaN in base64", says(200, data(`{"index":0,"embedding":"AADAfw=="}`)), embed.NotNumeric, 200},
	{"no index", says(200, data(`{"embedding":[1,2]}`)), embed.MissingIndex, 200},
	{"null for the index", says(200, data(`{"index":null,"embedding":[1,2]}`)), embed.MissingIndex, 200},
	{"another index", says(200, data(`{"index":1,"embedding":[1,2]}`)), embed.BadIndex, 200},
	{"an index below", says(200, data(`{"index":-1,"embedding":[1,2]}`)), embed.BadIndex, 200},
	{"half an index", says(200, data(`{"index":0.5,"embedding":[1,2]}`)), embed.BadIndex, 200},
	{"a word for the index", says(200, data(`{"index":"0","embedding":[1,2]}`)), embed.BadIndex, 200},
	{"no entry", says(200, data(``)), embed.WrongCount, 200},
	{"two entries", says(200, data(`{"index":0,"embedding":[1,2]},{"index":1,"embedding":[1,2]}`)), embed.WrongCount, 200},
	{"no elements", says(200, data(`{"index":0,"embedding":[]}`)), embed.WrongDimension, 200},
	{"too many elements", says(200, data(`{"index":0,"embedding":[`+strings.Repeat("1,", core.MaxDimensions)+`1]}`)), embed.WrongDimension, 200},
	{"zeros", says(200, data(`{"index":0,"embedding":[0,0.0,-0,0e5,1e-60]}`)), embed.ZeroNorm, 200},
	{"too large an answer", func(w http.ResponseWriter, _ *http.Request, _ call) bool {
		io.WriteString(w, data(`{"index":0,"embedding":[1,2]}`))
		for range 1000 {
			io.WriteString(w, strings.Repeat(" ", 1<<10))
		}
		return true
	}, embed.TooLarge, 200},
	{"a large answer that says so", func(w http.ResponseWriter, _ *http.Request, _ call) bool {
		w.Header().Set("Content-Length", "2000000")
		w.WriteHeader(200)
		http.NewResponseController(w).Flush()
		return true
	}, embed.TooLarge, 200},
	{"a small gzip of much", func(w http.ResponseWriter, _ *http.Request, _ call) bool {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		for range 1000 {
			z.Write(make([]byte, 1<<12))
		}
		z.Close()
		return true
	}, embed.TooLarge, 200},
	{"no gzip", func(w http.ResponseWriter, _ *http.Request, _ call) bool {
		w.Header().Set("Content-Encoding", "gzip")
		io.WriteString(w, strings.Repeat(echo, 10))
		return true
	}, embed.NotJSON, 200},
	{"another coding", func(w http.ResponseWriter, _ *http.Request, _ call) bool {
		w.Header().Set("Content-Encoding", "br")
		io.WriteString(w, echo)
		return true
	}, embed.NotJSON, 200},
}

func TestEachFailureHasItsCauseAndTellsNothingOfWhatWasSent(t *testing.T) {
	for _, c := range failures {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := &server{instead: c.answer}
			base, transport := listen(t, s)
			up := upstream(t, core.Provider{BaseURL: base, Auth: &core.Auth{Secret: secret}})
			timeout := 10 * time.Second
			if c.cause == embed.TimedOut {
				timeout = 100 * time.Millisecond
			}
			e := endpoint(t, core.EmbeddingPolicy{Upstream: up, Timeout: timeout})
			seen := newCounts()
			u, err := embedder(t, transport, seen).Embed(t.Context(), e, prompt, 0)
			var failed *embed.Error
			if !errors.As(err, &failed) || failed.Cause != c.cause || failed.Status != c.status || u.Dimension() != 0 {
				t.Fatalf("got %v and error %+v, want cause %s, status %d", u, err, c.cause, c.status)
			}
			if embed.CauseOf(fmt.Errorf("route: %w", err)) != c.cause || seen.calls[c.cause] != 1 {
				t.Errorf("the cause is %q when wrapped, and was observed %d times", embed.CauseOf(fmt.Errorf("route: %w", err)), seen.calls[c.cause])
			}
			for _, private := range []string{prompt, secret, echo} {
				if strings.Contains(err.Error(), private) {
					t.Errorf("%q tells %q", err, private)
				}
			}
			if len(err.Error()) > 300 || !strings.HasPrefix(err.Error(), "embed by vectors: ") {
				t.Errorf("got %q", err)
			}
		})
	}
}

func TestWhatIsWrongInABatchIsFound(t *testing.T) {
	one, two := `{"index":0,"embedding":[1,2]}`, `{"index":1,"embedding":[1,2]}`
	for _, c := range []struct {
		name, entries string
		cause         embed.Cause
	}{
		{"one entry short", one, embed.WrongCount},
		{"the same text twice", one + "," + one, embed.DuplicateIndex},
		{"another dimension than its neighbour", one + `,{"index":1,"embedding":[1,2,3]}`, embed.WrongDimension},
		{"a text that was not sent", one + `,{"index":2,"embedding":[1,2]}`, embed.BadIndex},
		{"too many", one + "," + two + "," + two, embed.WrongCount},
	} {
		s := &server{instead: says(200, data(c.entries))}
		m := embedder(t, s, nil)
		_, err := m.EmbedAll(t.Context(), endpoint(t, core.EmbeddingPolicy{}), []string{"a", "b"})
		if embed.CauseOf(err) != c.cause {
			t.Errorf("%s: got %v, want %s", c.name, err, c.cause)
		}
	}
}

func TestADimensionThatWasAskedForIsHeldTo(t *testing.T) {
	s := &server{dimension: 8}
	_, err := embedder(t, s, nil).Embed(t.Context(), endpoint(t, core.EmbeddingPolicy{Dimensions: 4}), prompt, 0)
	if embed.CauseOf(err) != embed.WrongDimension {
		t.Errorf("got %v, want %s", err, embed.WrongDimension)
	}
}

func TestAnEndpointThatIsNotThereIsUnreachable(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	gone := listener.Addr().String()
	listener.Close()
	tls := httptest.NewUnstartedServer(http.NotFoundHandler())
	tls.Config.ErrorLog = log.New(io.Discard, "", 0)
	tls.StartTLS()
	defer tls.Close()
	for base, detail := range map[string]string{
		"http://" + gone:            "connection refused",
		"http://nowhere.invalid":    "name not resolved",
		tls.URL:                     "certificate not accepted",
		"https://" + gone + "/path": "connection refused",
	} {
		transport := &http.Transport{}
		defer transport.CloseIdleConnections()
		up := upstream(t, core.Provider{BaseURL: base, Auth: &core.Auth{Secret: secret, Query: "key"}})
		_, err := embedder(t, transport, nil).Embed(t.Context(), endpoint(t, core.EmbeddingPolicy{Upstream: up}), prompt, 0)
		if embed.CauseOf(err) != embed.Unreachable || !strings.Contains(err.Error(), detail) || strings.Contains(err.Error(), secret) {
			t.Errorf("%s: got %v, want %s: %s", base, err, embed.Unreachable, detail)
		}
	}
}

func TestWhatTheGatewaysOwnDialerRefusesIsSaid(t *testing.T) {
	transport := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("address 169.254.169.254 is link-local\nor worse")}
	}}
	_, err := embedder(t, transport, nil).Embed(t.Context(), endpoint(t, core.EmbeddingPolicy{}), prompt, 0)
	if got, want := fmt.Sprint(err), "embed by vectors: unreachable: address 169.254.169.254 is link-local or worse"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestARedirectIsNotFollowed(t *testing.T) {
	elsewhere := &server{dimension: 4}
	away, _ := listen(t, elsewhere)
	for _, status := range []int{301, 302, 303, 307, 308} {
		s := &server{instead: func(w http.ResponseWriter, r *http.Request, _ call) bool {
			http.Redirect(w, r, away, status)
			return true
		}}
		base, transport := listen(t, s)
		_, err := embedder(t, transport, nil).Embed(t.Context(), endpoint(t, core.EmbeddingPolicy{Upstream: upstream(t, core.Provider{BaseURL: base})}), prompt, 0)
		if embed.CauseOf(err) != embed.BadStatus || elsewhere.count() != 0 {
			t.Errorf("%d: got %v and %d calls elsewhere", status, err, elsewhere.count())
		}
	}
}

func TestAnAnswerIsTakenInEveryFormThatServersGiveIt(t *testing.T) {
	raw := []byte{}
	for _, v := range []float32{3, 4} {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
	}
	for name, body := range map[string]string{
		"as asked for":    data(`{"object":"embedding","index":0,"embedding":[3,4]}`),
		"with exponents":  data(`{"index":0,"embedding":[30E-1,0.4e1]}`),
		"index behind":    data(`{"embedding":[3,4.0],"index":0}`),
		"spaced out":      "\n{ \"data\" : [ {\"index\" : 0 ,\r\n\t\"embedding\" : [ 3 , 4 ] } ] } \n",
		"base64":          data(`{"index":0,"embedding":"` + base64.StdEncoding.EncodeToString(raw) + `"}`),
		"escaped names":   `{"d\u0061ta":[{"ind\u0065x":0,"embeddin\u0067":[3,4]}]}`,
		"other members":   data(`{"index":0,"embedding":[3,4],"x":{"embedding":[1],"index":7}}`),
		"no other member": `{"data":[{"index":0,"embedding":[3,4]}]}`,
	} {
		s := &server{instead: says(200, body)}
		u, err := embedder(t, s, nil).Embed(t.Context(), endpoint(t, core.EmbeddingPolicy{}), prompt, 2)
		if err != nil || u.Values()[0] != 0.6 || u.Values()[1] != 0.8 {
			t.Errorf("%s: got %v and error %v, want (0.6, 0.8)", name, u, err)
		}
	}
}

func TestGzipThatNobodyAskedForIsUnderstood(t *testing.T) {
	s := &server{instead: func(w http.ResponseWriter, _ *http.Request, c call) bool {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		json.NewEncoder(z).Encode(answer(c.Input, 4))
		z.Close()
		return true
	}}
	base, transport := listen(t, s)
	e := endpoint(t, core.EmbeddingPolicy{Upstream: upstream(t, core.Provider{BaseURL: base})})
	if u, err := embedder(t, transport, nil).Embed(t.Context(), e, prompt, 4); err != nil || !same(u, unit(t, prompt, 4)) {
		t.Errorf("got %v and error %v", u, err)
	}
}
