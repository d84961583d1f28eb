package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/sluice-gateway/sluice/tests/bench/load"
)

// nodeLimit bounds the time until a new node serves the configuration.
const nodeLimit = 15 * time.Second

// node starts a Sluice proxy, the binary that users run, and waits until it serves the bench routing.
func (s *stage) node(ctx context.Context, etcd string) error {
	var addresses [2]string
	for i := range addresses {
		var err error
		if addresses[i], err = freeAddress(); err != nil {
			return err
		}
	}
	p, err := start(exec.CommandContext(ctx, filepath.Join(s.dir, "sluice-proxy"),
		"--listen", addresses[0], "--status-listen", addresses[1], "--etcd", etcd))
	if err != nil {
		return err
	}
	s.processes = append(s.processes, p)
	s.contenders = append(s.contenders, contender{
		name: "Sluice", address: addresses[0], metrics: "http://" + addresses[1] + "/metrics", pid: p.pid(),
	})
	if err := awaitAnswer(ctx, addresses[0]); err != nil {
		return fmt.Errorf("sluice-proxy does not serve: %w: %s", err, p.stderr.String())
	}
	return nil
}

// awaitAnswer sends the bench request until it is answered.
func awaitAnswer(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, nodeLimit)
	defer cancel()
	one := load.Plan{Address: address, Request: load.Request{Wire: request(callerKey, passedModel, 0)}, Count: 1, Connections: 1}
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	for {
		_, err := load.Run(ctx, one)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		case <-again.C:
		}
	}
}

// freeAddress returns a loopback address that nobody listens on at the moment.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}
