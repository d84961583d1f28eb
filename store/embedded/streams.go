package embedded

import (
	"context"
	"sync"

	"google.golang.org/grpc"
)

// streams ends the watches and keep-alives of all clients when the server closes. Left to itself etcd
// sometimes waits for them, for as long as a request may take.
type streams struct{ closing chan struct{} }

// option makes every stream of a gRPC server one of these.
func (s streams) option() grpc.ServerOption {
	return grpc.ChainStreamInterceptor(func(srv any, stream grpc.ServerStream, _ *grpc.StreamServerInfo, handle grpc.StreamHandler) error {
		ctx, cancel := context.WithCancel(stream.Context())
		var wg sync.WaitGroup
		wg.Go(func() {
			select {
			case <-s.closing:
				cancel()
			case <-ctx.Done():
			}
		})
		err := handle(srv, endable{stream, ctx})
		cancel()
		wg.Wait()
		return err
	})
}

// endable is a stream whose context ends when the server closes.
type endable struct {
	grpc.ServerStream
	ctx context.Context //nolint:containedctx // a gRPC stream is what carries its context
}

func (e endable) Context() context.Context { return e.ctx }
