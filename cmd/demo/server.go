package demo

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

// Limits of the HTTP server. A head that takes longer than readHeaderTimeout comes from no client of ours.
// drainTimeout is how long answers under way may go on after the end was asked for.
const (
	readHeaderTimeout = 10 * time.Second
	drainTimeout      = 10 * time.Second
)

// Config says who the upstream is and how fast it answers.
type Config struct {
	// Name is the one model that the upstream chats with, and how it calls itself in its answers.
	Name string
	// FirstToken is the time from a request to the first word of its answer.
	FirstToken time.Duration
	// PerToken is the time from one word to the next.
	PerToken time.Duration
}

// Server answers POST /v1/chat/completions, POST /v1/embeddings (by EmbeddingModel), GET /v1/models, GET /v1/models/{id} and GET /healthz.
type Server struct {
	cfg     Config
	started time.Time
	mux     *http.ServeMux
}

// New returns a server that is ready to answer.
func New(cfg Config) *Server {
	s := &Server{cfg: cfg, started: time.Now(), mux: http.NewServeMux()}
	s.mux.HandleFunc("POST /v1/chat/completions", s.chat)
	s.mux.HandleFunc("POST /v1/embeddings", s.embeddings)
	s.mux.HandleFunc("GET /v1/models", s.models)
	s.mux.HandleFunc("GET /v1/models/{id}", s.model)
	s.mux.HandleFunc("GET /healthz", healthy)
	s.mux.HandleFunc("/", unknownPath)
	return s
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// Serve answers on l until ctx ends, then lets the answers under way come to their end for a while.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{Handler: s, ReadHeaderTimeout: readHeaderTimeout}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serve %s: %w", s.cfg.Name, err)
	case <-ctx.Done():
	}
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTimeout)
	defer cancel()
	err := server.Shutdown(drain)
	if errors.Is(err, context.DeadlineExceeded) {
		err = server.Close()
	}
	<-failed
	return err
}

func healthy(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok\n")) }
