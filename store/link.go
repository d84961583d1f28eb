package store

import (
	"context"
	"errors"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// link is one connection to etcd, made on first use: a client with a password logs in when it is made,
// and etcd may be away then.
type link struct {
	cfg clientv3.Config
	// gate holds one token, owned by whoever reads or changes what follows.
	gate   chan struct{}
	client *clientv3.Client
	stop   context.CancelFunc
	closed bool
}

func newLink(cfg clientv3.Config) *link {
	return &link{cfg: cfg, gate: make(chan struct{}, 1)}
}

var errClosed = errors.New("the store is closed")

// get returns the client, making it when there is none yet.
func (l *link) get(ctx context.Context) (*clientv3.Client, error) {
	select {
	case l.gate <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-l.gate }()
	if l.closed {
		return nil, errClosed
	}
	if l.client == nil {
		if err := l.dial(ctx); err != nil {
			return nil, err
		}
	}
	return l.client, nil
}

// dial makes the client. It lives until close, not until ctx ends; ctx only ends the login.
func (l *link) dial(ctx context.Context) error {
	life, stop := context.WithCancel(context.WithoutCancel(ctx))
	release := context.AfterFunc(ctx, stop)
	cfg := l.cfg
	cfg.Context = life
	client, err := clientv3.New(cfg)
	if !release() {
		if err == nil {
			err = client.Close()
		}
		return errors.Join(ctx.Err(), err)
	}
	if err != nil {
		stop()
		return err
	}
	l.client, l.stop = client, stop
	return nil
}

func (l *link) close() error {
	l.gate <- struct{}{}
	defer func() { <-l.gate }()
	l.closed = true
	if l.client == nil {
		return nil
	}
	defer l.stop()
	client := l.client
	l.client = nil
	return client.Close()
}
