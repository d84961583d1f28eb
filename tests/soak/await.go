package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/sluice-gateway/sluice/core"
)

// pollEvery is how often await looks again.
const pollEvery = 50 * time.Millisecond

// await polls until look returns no error, and returns its last one if it still does when the limit passes.
func await(ctx context.Context, limit time.Duration, look func() error) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		err := look()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-tick.C:
		}
	}
}

// serves reports whether the node of that status URL serves the revision, and all of it.
func serves(ctx context.Context, status string, revision int64) error {
	var s core.NodeStatus
	if err := getJSON(ctx, status+"/status", &s); err != nil {
		return err
	}
	if s.Revision < revision {
		return fmt.Errorf("node serves revision %d, not yet %d", s.Revision, revision)
	}
	if len(s.Rejected) > 0 {
		return fmt.Errorf("node rejects %v", s.Rejected)
	}
	return nil
}

func getJSON(ctx context.Context, url string, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	return json.NewDecoder(resp.Body).Decode(into)
}
