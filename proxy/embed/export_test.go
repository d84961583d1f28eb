package embed

import (
	"context"

	"github.com/sluice-gateway/sluice/core/vector"
)

// EmbedAll makes one call for many texts, as the examples do.
func (m *Embedder) EmbedAll(ctx context.Context, e *Endpoint, texts []string) ([]vector.Unit, error) {
	return m.caller.embed(ctx, e, texts, batchTimeout)
}
