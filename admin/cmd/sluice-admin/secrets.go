package main

import (
	"context"
	"log/slog"
	"time"

	"github.com/sluice-gateway/sluice/store"
)

// secretsLimit bounds the look at how secrets are stored: the service starts without etcd as well.
const secretsLimit = 2 * time.Second

// examineSecrets ends a start that could open none of the secrets, and says when some are stored in plain text.
func examineSecrets(ctx context.Context, st *store.Store, log *slog.Logger) error {
	ctx, cancel := context.WithTimeout(ctx, secretsLimit)
	defer cancel()
	if err := st.CheckKeys(ctx); err != nil {
		return err
	}
	secrets, err := st.Secrets(ctx)
	if err != nil {
		return nil //nolint:nilerr // etcd may be away; whoever asks for something is told
	}
	plain := 0
	for _, s := range secrets {
		if !s.Sealed {
			plain++
		}
	}
	if plain > 0 {
		log.Warn("secrets are stored in plain text; 'sluice keys encrypt' seals them", "count", plain)
	}
	return nil
}
