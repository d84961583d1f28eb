package admin

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"
)

const (
	// readHeaderTimeout bounds a connection that sends its header drop by drop.
	readHeaderTimeout = 5 * time.Second
	// readTimeout leaves a body of the limit, 1 MiB, time on a slow line.
	readTimeout = 30 * time.Second
	// writeTimeout counts from the end of the header and so holds reading the body, the write in the store
	// and a whole ?wait of 60 s.
	writeTimeout = 2 * time.Minute
	// idleTimeout is above the minute for which load balancers keep their connections, so that it is they
	// who close them.
	idleTimeout = 90 * time.Second
	// maxHeader is far above what a client of this API sends.
	maxHeader = 32 << 10
	// shutdownGrace lets requests that are under way finish; none waits longer once the API stops.
	shutdownGrace = 10 * time.Second
)

// Serve answers on l until ctx ends, then finishes what is under way and returns. It owns l.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	// Requests have no part in ctx: its end lets them finish.
	srv := &http.Server{
		Handler:           s.Handler(),
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
	}
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("serve admin API: %w", err)
		}
		return nil
	})
	g.Go(func() error {
		<-ctx.Done()
		return s.shutdown(ctx, srv)
	})
	return g.Wait()
}

func (s *Server) shutdown(ctx context.Context, srv *http.Server) error {
	s.api.Stop()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownGrace)
	defer cancel()
	if err := srv.Shutdown(ctx); err != nil {
		return errors.Join(fmt.Errorf("stop admin API: %w", err), srv.Close())
	}
	return nil
}
