package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/store"
)

// callerKey is what every client of the soak sends.
const callerKey = "soak-caller-key-of-no-value"

// apiKey lets the soak's clients in.
func apiKey() *core.APIKey {
	hash := sha256.Sum256([]byte(callerKey))
	return &core.APIKey{ID: "soak", KeySHA256: hex.EncodeToString(hash[:]), AllowedModels: []string{"*"}}
}

// put writes the resources in one transaction and returns its revision.
func put(ctx context.Context, st *store.Store, resources ...core.Resource) (int64, error) {
	var changes []store.Change
	for _, r := range resources {
		raw, err := json.Marshal(r)
		if err != nil {
			return 0, fmt.Errorf("encode %s: %w", r.Ref(), err)
		}
		changes = append(changes, store.Change{Ref: r.Ref(), Value: raw})
	}
	result, err := st.Update(ctx, func(store.Image) ([]store.Change, error) { return changes, nil })
	if err != nil {
		return 0, fmt.Errorf("put resources: %w", err)
	}
	return result.Revision, nil
}

func ptr[T any](v T) *T { return &v }

func span(d time.Duration) *core.Duration { return ptr(core.Duration(d)) }
