package chaos

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/sluice-gateway/sluice/tests/soak/fault"
	"github.com/sluice-gateway/sluice/tests/soak/ledger"
	"github.com/sluice-gateway/sluice/tests/soak/truth"
)

// stallLimit ends a stall that no proxy ends: longer than any limit of the proxies.
const stallLimit = 40 * time.Second

// Config says what an Upstream is.
type Config struct {
	Name string
	// Key is the credential that every request must bring.
	Key     string
	Weather fault.Weather
	Ledger  *ledger.Ledger
}

// Upstream is one server.
type Upstream struct {
	cfg      Config
	listener net.Listener
	server   *http.Server
	served   chan error
	inFlight atomic.Int64
}

// Start listens on a free port and serves.
func Start(cfg Config) (*Upstream, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start upstream %s: %w", cfg.Name, err)
	}
	u := &Upstream{cfg: cfg, listener: l, served: make(chan error, 1)}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /{target}/v1/chat/completions", u.chat)
	mux.HandleFunc("GET /{target}/v1/models", u.models)
	u.server = &http.Server{Handler: mux, ConnContext: counted}
	go func() { u.served <- u.server.Serve(l) }()
	return u, nil
}

// Name returns the upstream's name.
func (u *Upstream) Name() string { return u.cfg.Name }

// Key returns the credential that the upstream takes.
func (u *Upstream) Key() string { return u.cfg.Key }

// URL returns the base URL for the target of that name, so that a request says whose it is before it is read.
func (u *Upstream) URL(target string) string {
	return "http://" + u.listener.Addr().String() + "/" + target + "/v1"
}

// InFlight returns how many requests are being treated.
func (u *Upstream) InFlight() int64 { return u.inFlight.Load() }

// Rest closes the connections that are idle.
func (u *Upstream) Rest() {
	u.server.SetKeepAlivesEnabled(false)
	u.server.SetKeepAlivesEnabled(true)
}

// Close ends the upstream and every connection.
func (u *Upstream) Close() {
	u.server.Close()
	<-u.served // http.ErrServerClosed
}

type connKey struct{}

// counted counts the requests of each connection.
func counted(ctx context.Context, _ net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, new(atomic.Int64))
}

func reused(ctx context.Context) bool {
	n, ok := ctx.Value(connKey{}).(*atomic.Int64)
	return ok && n.Add(1) > 1
}

// models answers health checks.
func (u *Upstream) models(w http.ResponseWriter, r *http.Request) {
	reused(r.Context())
	if k := u.cfg.Weather.Pick("health", int(time.Now().UnixNano()&0xffff), false, time.Now()); !k.Good {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	fmt.Fprintln(w, `{"object":"list","data":[]}`) // the proxy may be gone
}

// chat treats one request.
func (u *Upstream) chat(w http.ResponseWriter, r *http.Request) {
	u.inFlight.Add(1)
	defer u.inFlight.Add(-1)
	id := r.Header.Get("X-Request-Id")
	hit := &ledger.Hit{Upstream: u.cfg.Name, Target: r.PathValue("target"), Reused: reused(r.Context()), Began: time.Now()}
	entry := u.cfg.Ledger.Hit(id, hit)
	if entry == nil {
		http.Error(w, "nobody sent this", http.StatusBadRequest)
		return
	}
	stream := r.Header.Get("Accept") == "text/event-stream"
	kind := u.cfg.Weather.Pick(id, hit.Number, stream, hit.Began)
	entry.Change(func() { hit.Kind = kind })
	s := &scene{w: w, r: r, kind: kind.Name, rng: u.cfg.Weather.Rand(id, -hit.Number), stream: stream, answer: truth.Answer{ID: id, Hit: hit.Number}}
	defer func() {
		entry.Change(func() { hit.Ended, hit.Gone = time.Now(), s.gone })
	}()
	if kind.Name != fault.ResetUnread {
		asked, complaint := u.read(r, id, stream)
		entry.Change(func() { hit.Complaint = complaint })
		if complaint != "" {
			http.Error(w, complaint, http.StatusBadRequest)
			return
		}
		s.answer.Model, s.usage = asked.Model, asked.Usage
	}
	s.play()
}

// read reads the request and says what is wrong with it; "": nothing.
func (u *Upstream) read(r *http.Request, id string, stream bool) (truth.Asked, string) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return truth.Asked{}, "" // the proxy has gone meanwhile
	}
	asked, err := truth.Read(body)
	switch got := r.Header.Get("Authorization"); {
	case err != nil:
		return asked, err.Error()
	case asked.ID != id:
		return asked, fmt.Sprintf("x-request-id is %s, the body is of %s", id, asked.ID)
	case asked.Stream != stream:
		return asked, fmt.Sprintf("stream is %v, accept is %s", asked.Stream, r.Header.Get("Accept"))
	case asked.Model != r.PathValue("target"):
		return asked, fmt.Sprintf("model is %q at %s", asked.Model, r.URL.Path)
	case got != "Bearer "+u.cfg.Key:
		return asked, fmt.Sprintf("credential is %q, want %q", got, "Bearer "+u.cfg.Key)
	case r.ContentLength != int64(len(body)):
		return asked, fmt.Sprintf("content-length is %d, the body has %d bytes", r.ContentLength, len(body))
	}
	return asked, ""
}
