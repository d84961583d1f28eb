package admin

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/http"

	"github.com/sluice-gateway/sluice/admin/ask"
	"github.com/sluice-gateway/sluice/admin/catalog"
	"github.com/sluice-gateway/sluice/admin/fleet"
	"github.com/sluice-gateway/sluice/admin/httpapi"
	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/schemas"
	"github.com/sluice-gateway/sluice/store"
)

// DefaultMaxBody is what the store takes as one value: a larger body could not be stored.
const DefaultMaxBody = store.MaxValue

// Config says what a Server works on. Store and AdminTokens are required.
type Config struct {
	Store *store.Store
	// AdminTokens may read and write, ViewerTokens may read.
	AdminTokens, ViewerTokens []string
	// Reach says which upstreams providers may use.
	Reach core.Reach
	// MaxBody is the most bytes of a request's body. Default DefaultMaxBody.
	MaxBody int64
	// Version is what the service says of itself.
	Version string
	Logger  *slog.Logger
}

// Server is one replica of the control plane.
type Server struct {
	api *httpapi.API
	log *slog.Logger
}

// New returns a server, or an error when there is no store or no admin token.
func New(cfg Config) (*Server, error) {
	if cfg.Store == nil {
		return nil, errors.New("new admin server: no store")
	}
	set, err := schemas.Load()
	if err != nil {
		return nil, fmt.Errorf("new admin server: %w", err)
	}
	log := cmp.Or(cfg.Logger, slog.New(slog.DiscardHandler))
	api, err := httpapi.New(httpapi.Config{
		Catalog:      catalog.New(cfg.Store, set, core.Site{Reach: cfg.Reach}),
		Fleet:        fleet.New(cfg.Store, cfg.Reach),
		Nodes:        ask.New(cfg.Store),
		Ping:         cfg.Store.Ping,
		AdminTokens:  cfg.AdminTokens,
		ViewerTokens: cfg.ViewerTokens,
		MaxBody:      cmp.Or(cfg.MaxBody, DefaultMaxBody),
		Version:      cmp.Or(cfg.Version, "dev"),
		Logger:       log,
	})
	if err != nil {
		return nil, fmt.Errorf("new admin server: %w", err)
	}
	return &Server{api: api, log: log}, nil
}

// Handler returns the whole API as a handler.
func (s *Server) Handler() http.Handler { return s.api.Handler() }
