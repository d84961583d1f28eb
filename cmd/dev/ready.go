package dev

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/sluice-gateway/sluice/core"
)

// poll is how often the node is asked: short beside the time that a start takes.
const poll = 10 * time.Millisecond

// awaitRevision waits until the node whose status stands at the URL serves that revision of the store.
func awaitRevision(ctx context.Context, statusURL string, revision int64) error {
	tick := time.NewTicker(poll)
	defer tick.Stop()
	for {
		at, err := servedRevision(ctx, statusURL)
		if err == nil && at >= max(revision, 1) {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the proxy did not come to serve revision %d (it serves %d): %w", revision, at, context.Cause(ctx))
		case <-tick.C:
		}
	}
}

func servedRevision(ctx context.Context, statusURL string) (int64, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, statusURL, nil)
	if err != nil {
		return 0, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	var status core.NodeStatus
	err = json.NewDecoder(resp.Body).Decode(&status)
	return status.Revision, err
}
