package main

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"time"
)

// healthTimeout lies between the service's own limit for asking the store, 2 s, and that of the container's
// health check, 3 s.
const healthTimeout = 2500 * time.Millisecond

// health asks the service at the URL whether it is ready; it is the check of a container without a shell.
func health(ctx context.Context, args []string, env func(string) string) error {
	url, err := healthURL(args, env)
	if err != nil {
		return fmt.Errorf("health: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return fmt.Errorf("health: %w", err)
	}
	// A proxy of the environment has no part in asking one's own address.
	resp, err := (&http.Client{Transport: &http.Transport{}}).Do(r)
	if err != nil {
		return fmt.Errorf("health: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("health: %s", resp.Status)
	}
	return nil
}

// healthURL is the one that is given, or that of this machine's service.
func healthURL(args []string, env func(string) string) (string, error) {
	if len(args) > 0 {
		return args[0], nil
	}
	_, port, err := net.SplitHostPort(cmp.Or(env(envListen), defaultListen))
	return "http://" + net.JoinHostPort("127.0.0.1", port) + "/readyz", err
}
