package embed

import (
	"context"

	"github.com/sluice-gateway/sluice/core/vector"
)

// EmbedAll makes one call for many texts, as the examples do.
func (m *Embedder) EmbedAll(ctx context.Context, e *Endpoint, texts []string) ([]vector.Unit, error) {
	return m.caller.embed(ctx, e, texts, batchTimeout)
}

// Match embeds a text for one collection.
func (x *Examples) Match(ctx context.Context, dst []vector.Match, c *Collection, text string) ([]vector.Match, error) {
	p := x.Prompt(text)
	return p.Match(ctx, dst, c)
}
