package embed

import (
	"context"

	"github.com/sluice-gateway/sluice/core/vector"
)

// Fill gives a collection that is only tried its vectors: those of examples that are known, and for the others it calls the
// endpoint, some texts at a time, while the caller waits. Nothing of it is kept. The error is an *Error or
// vector.ErrDimension.
func (x *Examples) Fill(ctx context.Context, c *Collection) error {
	known := map[Key]vector.Unit{}
	var keys []Key
	var texts []string
	x.mu.Lock()
	for key, text := range c.samples {
		if u, ok := x.known[key]; ok {
			known[key] = u
		} else {
			keys, texts = append(keys, key), append(texts, text)
		}
	}
	x.mu.Unlock()
	vectors, err := x.Embed(ctx, c.endpoint, texts)
	if err != nil {
		return err
	}
	for i, u := range vectors {
		known[keys[i]] = u
	}
	set, err := c.build(known)
	if err != nil {
		return err
	}
	c.vectors.CompareAndSwap(nil, set)
	return nil
}

// Embed returns the vectors of texts, which Text has prepared, in their order. It calls the endpoint with some at a time,
// as it does for examples, and keeps nothing. An endpoint that is left alone is not called. The error is an *Error.
func (x *Examples) Embed(ctx context.Context, e *Endpoint, texts []string) ([]vector.Unit, error) {
	if x.cfg.Embedder.breakers.alone(e) {
		return nil, &Error{Cause: Open, Upstream: e.settings.Upstream.ID}
	}
	out := make([]vector.Unit, 0, len(texts))
	for len(texts) > 0 {
		batch := texts[:min(MaxBatch, len(texts))]
		vectors, err := x.cfg.Embedder.caller.embed(ctx, e, batch, batchTimeout)
		if err != nil {
			return nil, err
		}
		out, texts = append(out, vectors...), texts[len(batch):]
	}
	return out, nil
}
