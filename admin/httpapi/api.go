package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"

	"github.com/labstack/echo/v4"

	"github.com/sluice-gateway/sluice/admin/ask"
	"github.com/sluice-gateway/sluice/admin/catalog"
	"github.com/sluice-gateway/sluice/admin/fleet"
	"github.com/sluice-gateway/sluice/openapi"
)

// Config is what an API works on and by which rules. All fields are required.
type Config struct {
	Catalog *catalog.Catalog
	Fleet   *fleet.Fleet
	// Nodes are asked for decisions.
	Nodes *ask.Nodes
	// Ping reports whether the store answers.
	Ping func(ctx context.Context) error
	// AdminTokens may read and write, ViewerTokens may read.
	AdminTokens, ViewerTokens []string
	// MaxBody is the most bytes of a request's body.
	MaxBody int64
	// Version is what /livez says of the service.
	Version string
	Logger  *slog.Logger
}

// API is the admin API of one gateway.
type API struct {
	catalog *catalog.Catalog
	fleet   *fleet.Fleet
	nodes   *ask.Nodes
	ping    func(ctx context.Context) error
	tokens  tokens
	public  map[string]bool // routes that need no token
	reading map[string]bool // routes that only read, whatever their method
	maxBody int64
	version string
	log     *slog.Logger
	docs    http.Handler
	echo    *echo.Echo

	stop     sync.Once
	stopping chan struct{}
}

// New returns an API, or an error when the tokens leave it open or shut to everyone.
func New(cfg Config) (*API, error) {
	t, err := newTokens(cfg.AdminTokens, cfg.ViewerTokens)
	if err != nil {
		return nil, err
	}
	a := &API{
		catalog: cfg.Catalog, fleet: cfg.Fleet, nodes: cfg.Nodes, ping: cfg.Ping, tokens: t, public: map[string]bool{}, reading: map[string]bool{},
		maxBody: cfg.MaxBody, version: cfg.Version, log: cfg.Logger, docs: openapi.Docs("/openapi.json"), echo: echo.New(), stopping: make(chan struct{}),
	}
	a.echo.HTTPErrorHandler = a.fail
	a.echo.Use(a.guard, allowHead)
	a.route()
	return a, nil
}

// Handler returns the API as a handler.
func (a *API) Handler() http.Handler {
	return withRequestID(withLog(a.log, withRecovery(a.log, withHead(a.echo))))
}

// Stop makes the API ready to end: /readyz says so and requests that wait for nodes are answered. It may be
// called more than once.
func (a *API) Stop() { a.stop.Do(func() { close(a.stopping) }) }

// fail answers with the problem that err is. The cause of a server's fault goes to the log only.
func (a *API) fail(err error, c echo.Context) {
	r, w := c.Request(), c.Response()
	if errors.Is(err, context.Canceled) && r.Context().Err() != nil {
		return // the caller has left
	}
	p := problemOf(err)
	if p.Status >= http.StatusInternalServerError {
		a.log.Error("request refused", "problem", p.Type, "error", p.cause, "request_id", w.Header().Get(headerRequestID))
	}
	if w.Committed {
		return
	}
	if p.Status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	writeProblem(w, r, p)
}
