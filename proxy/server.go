package proxy

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	"github.com/sluice-gateway/sluice/proxy/dispatch"
	"github.com/sluice-gateway/sluice/proxy/serve"
)

// Limits of the listeners. There is no WriteTimeout: it would cut healthy streams; the listener of serve
// moves a deadline along instead.
const (
	// headerLimit is for clients that connect and say nothing.
	headerLimit = 10 * time.Second
	// statusLimit bounds one exchange on the status listener; the largest is a scrape.
	statusLimit = 30 * time.Second
	// idleLimit keeps clients' connections longer than the usual load balancer does, so that it is never
	// us who closes first.
	idleLimit = 120 * time.Second
	maxHeader = 64 << 10
	// lastWords is how long streams that the drain limit cut off have to write their error event.
	lastWords = 2 * time.Second
	// announceLimit is how long a node with a snapshot waits for its presence in etcd before it takes traffic
	// without: some elections of etcd.
	announceLimit = 5 * time.Second
	// routeLimit bounds the look for etcd's address, which may need a name server.
	routeLimit = time.Second
	// leaveLimit bounds the farewell to the fleet; the lease ends by itself anyway.
	leaveLimit = 2 * time.Second
)

// serveAPI serves until ctx ends and then drains. Requests do not derive from ctx: they live on while
// the node drains.
func (n *Node) serveAPI(ctx, background context.Context, l net.Listener) error {
	requests, cut := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cut(nil)
	srv := &http.Server{
		Handler: n.edge, BaseContext: func(net.Listener) context.Context { return requests },
		ReadHeaderTimeout: headerLimit, IdleTimeout: idleLimit, MaxHeaderBytes: maxHeader,
	}
	failed := make(chan error, 2)
	go func() { failed <- srv.Serve(serve.NewListener(l)) }()
	go func() { failed <- srv.Serve(n.streams) }()
	select {
	case err := <-failed:
		srv.Close()
		n.streams.Abort()
		<-failed
		return err
	case <-background.Done():
	case <-ctx.Done():
	}
	n.drain(srv, cut)
	return errors.Join(ended(<-failed), ended(<-failed))
}

// ended is the error with which serving ended, if it was not in order.
func ended(err error) error {
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// drain stops the API in order: say so, keep accepting while load balancers notice, let what is under way
// finish, cut off what does not.
func (n *Node) drain(srv *http.Server, cut context.CancelCauseFunc) {
	n.logger.Info("draining", "limit", n.cfg.Drain)
	n.draining.Store(true)
	n.edge.Drain()
	n.announce()
	time.Sleep(n.cfg.Settle)
	limit, cancel := context.WithTimeout(context.Background(), n.cfg.Drain)
	defer cancel()
	if n.shutdown(limit, srv) == nil {
		return
	}
	n.logger.Warn("drain limit reached; ending what is left")
	cut(dispatch.ErrShutdown)
	n.streams.Cut(dispatch.ErrShutdown)
	words, cancel := context.WithTimeout(context.Background(), lastWords)
	defer cancel()
	if n.shutdown(words, srv) != nil {
		srv.Close()
		n.streams.Abort()
	}
}

// shutdown waits for what is under way. No handler gives a stream away once the server has none.
func (n *Node) shutdown(ctx context.Context, srv *http.Server) error {
	if err := srv.Shutdown(ctx); err != nil {
		return err
	}
	return n.streams.Shutdown(ctx)
}

func serveStatus(ctx context.Context, l net.Listener, h http.Handler) error {
	srv := &http.Server{Handler: h, ReadHeaderTimeout: headerLimit, ReadTimeout: headerLimit, WriteTimeout: statusLimit, IdleTimeout: idleLimit}
	stopped := context.AfterFunc(ctx, func() { srv.Close() })
	defer stopped()
	if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
