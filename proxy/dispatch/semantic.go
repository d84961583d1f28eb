package dispatch

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"time"
	"unicode/utf8"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/rank"
	"github.com/sluice-gateway/sluice/core/vector"
	"github.com/sluice-gateway/sluice/proxy/apierror"
	"github.com/sluice-gateway/sluice/proxy/embed"
)

// likeness is how like the prompt of one request is to the examples of the semantic groups that it may come to, those
// around others first.
type likeness []compared

// compared is a prompt beside the examples of one group.
type compared struct {
	group *core.Group
	// matches has an element for each member; nil: the prompt was not compared.
	matches []vector.Match
	meaning rank.Meaning
	err     error
}

// compare embeds the request's prompt, if a group that it may come to is semantic, compares it with the examples of
// each, and puts that into the view, which is of now then. There is at most one call for it, and the client waits for
// that no longer than for anything else.
func (x *exchange) compare(v *rank.View) (likeness, *fault) {
	if x.call.Group.Embeddings == nil {
		return nil, nil
	}
	ctx, cancel := x.ctx, func() {}
	if !x.deadline.IsZero() {
		ctx, cancel = context.WithDeadline(ctx, x.deadline)
	}
	defer cancel()
	l := x.likeness(ctx)
	if f := x.over(); f != nil {
		return nil, f
	}
	now := time.Now()
	v.Meaning, v.Now, v.Owner = l.meaning, now, x.owner(now)
	return l, x.uncompared(l)
}

func (x *exchange) likeness(ctx context.Context) likeness {
	var l likeness
	text := x.prompt()
	p := x.d.Examples.Prompt(text)
	semantic(x.call.Group, func(g *core.Group) {
		if l.of(g) != nil {
			return // it is a member twice
		}
		c := compared{group: g, meaning: rank.Meaning{State: rank.MeaningNoText}}
		if text != "" {
			c.with(ctx, &p, x.call.Examples.Of(g))
		}
		l = append(l, c)
	})
	return l
}

// semantic calls f with every semantic group of g, those around others first.
func semantic(g *core.Group, f func(*core.Group)) {
	if g.Semantic != nil {
		f(g)
	}
	for i := range g.Members {
		if m := &g.Members[i]; m.Group != nil && m.Group.Embeddings != nil {
			semantic(m.Group, f)
		}
	}
}

// prompt returns the text that is embedded; empty if the request has none.
func (x *exchange) prompt() string {
	const limit = embed.DefaultTextLimit
	said := x.call.Envelope.Prompt(nil, limit+utf8.UTFMax) // so that the limit itself is no end of it
	text := embed.Text([]string{string(said)}, limit)
	if text == "" && len(said) > limit { // a page of white space and then something
		text = embed.Text([]string{string(x.call.Envelope.Prompt(said[:0], math.MaxInt32))}, limit)
	}
	return text
}

// with compares the prompt with a collection, which is nil where the examples cannot be embedded.
func (c *compared) with(ctx context.Context, p *embed.Prompt, collection *embed.Collection) {
	c.err = errNoCollection
	if collection != nil {
		c.matches, c.err = p.Match(ctx, nil, collection)
	}
	switch {
	case c.err == nil:
		c.meaning = rank.Meaning{State: rank.MeaningScored, Scores: scores(c.matches)}
	case collection == nil, embed.CauseOf(c.err) == embed.NotReady:
		c.meaning.State = rank.MeaningNotReady
	default:
		c.meaning.State = rank.MeaningFailed
	}
}

var errNoCollection = errors.New("the examples cannot be embedded")

func scores(matches []vector.Match) []float64 {
	out := make([]float64, len(matches))
	for i, m := range matches {
		if out[i] = m.Score; !m.Found() {
			out[i] = math.NaN()
		}
	}
	return out
}

// meaning is what the ranking goes by.
func (l likeness) meaning(g *core.Group) rank.Meaning {
	if c := l.of(g); c != nil {
		return c.meaning
	}
	return rank.Meaning{}
}

func (l likeness) of(g *core.Group) *compared {
	for i := range l {
		if l[i].group == g {
			return &l[i]
		}
	}
	return nil
}

// failed reports whether there is a prompt that could not be compared.
func (c *compared) failed() bool {
	return c.meaning.State == rank.MeaningFailed || c.meaning.State == rank.MeaningNotReady
}

// uncompared logs that the prompt could not be compared, once, and returns what the client is told if it is not to be
// served without.
func (x *exchange) uncompared(l likeness) *fault {
	var f *fault
	var first *compared
	for i := range l {
		c := &l[i]
		if !c.failed() {
			continue
		}
		if first == nil {
			first = c
		}
		if f == nil && c.group.Semantic.OnFailure == core.EmbeddingFail {
			f = &fault{slug: slugEmbedding, cause: c.err, public: apierror.NotCompared(retryAfter(c.err))}
		}
	}
	if first != nil && !x.dry {
		x.logUncompared(first, f != nil)
	}
	return f
}

// retryAfter is when it makes sense to ask again; 0: not known.
func retryAfter(err error) time.Duration {
	if e, ok := errors.AsType[*embed.Error](err); ok {
		return e.RetryAfter()
	}
	return 0
}

// logUncompared says so at warn, but for an endpoint that is left alone: that it is was logged when it began.
func (x *exchange) logUncompared(c *compared, refused bool) {
	level, provider, status := slog.LevelWarn, "", 0
	if e, ok := errors.AsType[*embed.Error](c.err); ok {
		provider, status = e.Upstream, e.Status
		if e.Cause == embed.Open {
			level = slog.LevelDebug
		}
	}
	x.d.Logger.LogAttrs(x.ctx, level, "prompt not compared",
		slog.String("request_id", x.call.RequestID), slog.String("routing", c.group.ID), slog.String("cause", string(embed.CauseOf(c.err))),
		slog.String("provider", provider), slog.Int("status", status), slog.String("error", c.err.Error()), slog.Bool("refused", refused))
}
