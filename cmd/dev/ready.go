package dev

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"
)

// poll is how often the node is asked: short beside the time that a start takes.
const poll = 10 * time.Millisecond

// examplesLimit is how long the examples are awaited beyond that: an endpoint that somebody has put in place of the demo's
// may be away, which stands in nobody's way.
const examplesLimit = 3 * time.Second

// awaitServing waits until the node whose status stands at the URL serves that revision of the store, and for a moment
// until it has the vectors of all examples.
func awaitServing(ctx context.Context, statusURL string, revision int64) error {
	tick := time.NewTicker(poll)
	defer tick.Stop()
	var since time.Time
	for {
		status, err := readStatus(ctx, statusURL)
		if err == nil && status.Revision >= max(revision, 1) {
			if since.IsZero() {
				since = time.Now()
			}
			if status.compares() || time.Since(since) > examplesLimit {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the proxy did not come to serve revision %d (it serves %d): %w", revision, status.Revision, context.Cause(ctx))
		case <-tick.C:
		}
	}
}

// nodeStatus is what the node says of itself, as far as it is awaited.
type nodeStatus struct {
	Revision int64           `json:"revision"`
	Semantic []routingStatus `json:"semantic"`
}

type routingStatus struct {
	Ready bool `json:"ready"`
}

// compares reports whether every example has its vector.
func (s *nodeStatus) compares() bool {
	return !slices.ContainsFunc(s.Semantic, func(r routingStatus) bool { return !r.Ready })
}

func readStatus(ctx context.Context, statusURL string) (status nodeStatus, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, statusURL, nil)
	if err != nil {
		return status, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return status, err
	}
	defer resp.Body.Close()
	err = json.NewDecoder(resp.Body).Decode(&status)
	return status, err
}
