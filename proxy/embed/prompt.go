package embed

import (
	"context"

	"github.com/sluice-gateway/sluice/core/vector"
)

// Prompt is one text that is compared with one collection or several, all of one endpoint. It is embedded when the first
// of them needs its vector, once. It belongs to one goroutine.
type Prompt struct {
	x        *Examples
	text     string
	embedded bool
	unit     vector.Unit
	err      error
}

// Prompt returns a text, which Text has prepared, for Match.
func (x *Examples) Prompt(text string) Prompt { return Prompt{x: x, text: text} }

// Match compares the prompt with a collection's examples. dst is as for vector.Set.Match. The error is an *Error:
// NotReady, what Embed says, or WrongDimension.
func (p *Prompt) Match(ctx context.Context, dst []vector.Match, c *Collection) ([]vector.Match, error) {
	set := c.Vectors()
	if set == nil {
		return nil, &Error{Cause: NotReady, Upstream: c.endpoint.settings.Upstream.ID}
	}
	if set.Dimension() == 0 { // nothing to compare with
		return set.Match(dst, vector.Unit{})
	}
	if !p.embedded {
		p.embedded = true
		p.unit, p.err = p.x.cfg.Embedder.Embed(ctx, c.endpoint, p.text, set.Dimension())
	}
	if p.err != nil {
		p.x.noticeDrift(c, set, p.err)
		return nil, p.err
	}
	matches, err := set.Match(dst, p.unit)
	if err != nil { // the other collection has its vectors of before a change of dimension
		return nil, &Error{Cause: WrongDimension, Upstream: c.endpoint.settings.Upstream.ID, dimension: p.unit.Dimension()}
	}
	return matches, nil
}
