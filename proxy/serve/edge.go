package serve

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/sluice-gateway/sluice/proxy/apierror"
	"github.com/sluice-gateway/sluice/proxy/budget"
	"github.com/sluice-gateway/sluice/proxy/dispatch"
	"github.com/sluice-gateway/sluice/proxy/endpoint"
	"github.com/sluice-gateway/sluice/proxy/live"
)

// Dispatcher answers a request that the edge has read and resolved.
type Dispatcher interface {
	Serve(w http.ResponseWriter, r *http.Request, call dispatch.Call) (dispatch.Result, dispatch.Rest)
}

// Observer is told of every request, on its goroutine; of the end of a stream that has left its handler, on that of its relay.
type Observer interface {
	// Began is told before anything is read, Ended once the answer is out.
	Began()
	Ended(Request)
}

// Request says how a request ended.
type Request struct {
	Endpoint string // "chat/completions", "models"; "unknown" for a path that is not served
	Model    string // a configured name, or "" when the request did not get as far
	Stream   bool
	Result   dispatch.Result
	Elapsed  time.Duration
}

// Config is what an Edge works with.
type Config struct {
	// State returns the current state; nil while there is none.
	State      func() *live.State
	Dispatcher Dispatcher
	Observer   Observer
	Logger     *slog.Logger
	// MaxBody bounds one request body, in bytes, and Budget what is held of all of them.
	MaxBody int64
	Budget  *budget.Budget
	// Streams takes the streams that leave their handlers; nil: none does.
	Streams *Streams
}

// Edge is the handler of the API listener.
type Edge struct {
	cfg      Config
	draining atomic.Bool
}

// New returns an Edge.
func New(cfg Config) *Edge { return &Edge{cfg: cfg} }

// Drain makes every further answer ask its client to open a new connection, which finds another node.
func (e *Edge) Drain() { e.draining.Store(true) }

// exchange is one request at the edge.
type exchange struct {
	e     *Edge
	ctx   context.Context //nolint:containedctx // of the request
	w     http.ResponseWriter
	r     *http.Request
	id    string
	state *live.State
	began time.Time
	// dialect is in whose words the caller is told of errors; endpoint is what is asked for, nil if no target answers that.
	dialect  apierror.Dialect
	endpoint *endpoint.Endpoint
	read     bool   // the whole body has been read
	key      string // id of the caller's API key; empty: not known
	done     Request

	// Of a stream that may leave its handler; else nil. cancel ends its context, untie lets that live on when the
	// handler's ends.
	cancel   context.CancelCauseFunc
	untie    func() bool
	detached bool // it has left: the exchange belongs to another goroutine
}

// ServeHTTP answers one request of the API.
func (e *Edge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := &exchange{e: e, ctx: r.Context(), w: w, r: r, id: requestID(r.Header), state: e.cfg.State(), began: time.Now()}
	x.done.Endpoint = "unknown"
	x.limitReading(x.began.Add(readLimit))
	x.speak()
	h := w.Header()
	if e.draining.Load() {
		h["Connection"] = []string{"close"}
	}
	e.cfg.Observer.Began()
	defer x.finish()
	x.route()
}

// speak finds the endpoint that is asked for, and in whose words: where the path does not tell, the header does that
// callers of the Anthropic API send always.
func (x *exchange) speak() {
	path, _ := strings.CutPrefix(x.r.URL.Path, "/v1/")
	x.endpoint = endpoint.Find(path)
	switch {
	case x.endpoint != nil:
		x.dialect = x.endpoint.Dialect
	case strings.HasPrefix(path, "messages/"), x.r.Header["Anthropic-Version"] != nil:
		x.dialect = apierror.Anthropic
	}
	x.dialect.Name(x.w.Header(), x.id)
}

// route finds the endpoint. A path that is known but not by this method says which methods are.
func (x *exchange) route() {
	path, ok := strings.CutPrefix(x.r.URL.Path, "/v1/")
	if !ok {
		x.refuse(apierror.UnknownPath(x.r.Method, x.r.URL.Path))
		return
	}
	if x.endpoint != nil {
		x.only(http.MethodPost, path, x.complete)
		return
	}
	switch {
	case path == "models":
		x.only(http.MethodGet, path, x.listModels)
	case strings.HasPrefix(path, "models/"):
		x.only(http.MethodGet, "models", x.showModel)
	default:
		x.refuse(apierror.UnknownPath(x.r.Method, x.r.URL.Path))
	}
}

func (x *exchange) only(method, endpoint string, serve func()) {
	x.done.Endpoint = endpoint
	if x.r.Method != method {
		x.refuse(apierror.MethodNotAllowed(method))
		return
	}
	serve()
}

// refuse answers with an error of the gateway's own.
func (x *exchange) refuse(e apierror.Error) {
	if !x.read && x.r.ContentLength != 0 {
		x.w.Header().Set("Connection", "close") // the body is not waited for
	}
	x.done.Result.Status, x.done.Result.Outcome = e.Status, "refused"
	x.dialect.Write(x.w, e, x.id)
}

// finish reports the request, and turns a panic into an answer as far as one can still be given.
func (x *exchange) finish() {
	if x.detached {
		return
	}
	if p := recover(); p != nil {
		x.recovered(p)
	}
	x.report()
	if x.done.Result.Outcome == outcomeAbort {
		panic(http.ErrAbortHandler) // the server closes the connection without a word
	}
}

// report tells how the request ended. It comes before the last byte of the answer: who has read that will find it told.
func (x *exchange) report() {
	if x.untie != nil {
		x.untie()
		x.cancel(nil)
	}
	x.done.Elapsed = time.Since(x.began)
	x.e.cfg.Observer.Ended(x.done)
	x.log()
}

func (x *exchange) log() {
	level, res := slog.LevelDebug, x.done.Result
	if res.Status >= 400 || res.Outcome != "ok" {
		level = slog.LevelInfo
	}
	if !x.e.cfg.Logger.Enabled(x.ctx, level) {
		return
	}
	x.e.cfg.Logger.Log(x.ctx, level, "request", "request_id", x.id, "api_key", x.key, "endpoint", x.done.Endpoint, "model", x.done.Model, "target", res.Target,
		"status", res.Status, "outcome", res.Outcome, "attempts", res.Attempts, "stream", x.done.Stream, "elapsed", x.done.Elapsed)
}
