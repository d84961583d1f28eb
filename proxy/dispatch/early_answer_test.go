package dispatch_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/proxy/serve"
)

// early answers with a token before it reads the question, which is larger than what connections buffer, and with the
// rest once it has read that to its end, some time after the stream has left its handler.
func early(asked chan<- string, left func()) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		_ = control.EnableFullDuplex() // HTTP/2 always is
		events(role, token("a"))(w, r)
		control.Flush()
		left()
		body, err := io.ReadAll(r.Body)
		asked <- fmt.Sprint(string(body), err)
		io.WriteString(w, stop+done)
	}
}

// TestAnAnswerMayBeginBeforeItsQuestionHasBeenSent: what is sent is whole then, though the stream keeps nothing else
// of its request.
func TestAnAnswerMayBeginBeforeItsQuestionHasBeenSent(t *testing.T) {
	for _, h2 := range []bool{false, true} {
		for _, size := range []int{40 << 10, 900 << 10} {
			t.Run(fmt.Sprintf("HTTP/2 %v, %d bytes", h2, size), func(t *testing.T) {
				streams := serve.NewStreams(time.Millisecond, time.Minute)
				asked := make(chan string, 1)
				up := &upstream{gone: make(chan struct{}, 10)}
				up.Server = httptest.NewUnstartedServer(early(asked, func() { <-time.After(20 * time.Millisecond) }))
				up.Config.HTTP2 = &http.HTTP2Config{MaxReceiveBufferPerStream: 64 << 10, MaxReceiveBufferPerConnection: 64 << 10}
				up.EnableHTTP2 = h2
				if h2 {
					up.StartTLS()
				} else {
					up.Start()
				}
				t.Cleanup(up.Close)
				dial := func(ctx context.Context, network, address string) (net.Conn, error) {
					c, err := (&net.Dialer{}).DialContext(ctx, network, address)
					if err == nil {
						err = c.(*net.TCPConn).SetWriteBuffer(4 << 10)
					}
					return c, err
				}
				o := options{}
				if h2 {
					o.provider = `,"tls":{"insecure_skip_verify":true}`
				}
				h := assemble(t, o, dial, streams, up)
				h.Server = httptest.NewServer(h.edge)
				go h.Server.Config.Serve(streams)
				t.Cleanup(func() {
					streams.Abort()
					h.Close()
				})
				h.client = h.Server.Client()
				question := `{"messages":[{"role":"user","content":"` + strings.Repeat("x", size) + `"}],"model":%q,"stream":true}` // in parts
				got := h.post(fmt.Sprintf(question, "r"))
				if got.err != nil || got.body != role+token("a")+stop+done {
					t.Errorf("the client got %d %.300q (%v)", got.StatusCode, got.body, got.err)
				}
				want := fmt.Sprintf(question, "up-a") + "<nil>"
				if sent := <-asked; sent != want {
					t.Errorf("the upstream got %d bytes, want %d: %.200q", len(sent), len(want), sent)
				}
			})
		}
	}
}
