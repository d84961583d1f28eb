package embed

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/vector"
)

const (
	// promptBytes is the room for the vectors of recent prompts: some 10,000 of 1,536 dimensions.
	promptBytes = 64 << 20
	// refusedBytes is the room for refused prompts, some 4,000.
	refusedBytes = 1 << 20
	// refusedFor is how long a refused prompt is not sent again. The reason may be a setting at the endpoint that
	// someone is about to change.
	refusedFor = 5 * time.Minute
)

// Config is what an Embedder works with.
type Config struct {
	// Transport returns the connection pool of an upstream.
	Transport func(*core.Upstream) http.RoundTripper
	UserAgent string
	Observer  Observer // nil: nobody is told
	Logger    *slog.Logger
}

// Embedder embeds prompts.
type Embedder struct {
	caller   *caller
	logger   *slog.Logger
	prompts  *recent[vector.Unit]
	refused  *recent[*Error]
	breakers *breakers
	flights  *flights
}

// New returns an Embedder, which is to be closed.
func New(c Config) *Embedder {
	if c.Observer == nil {
		c.Observer = unobserved{}
	}
	return &Embedder{
		caller:   &caller{transport: c.Transport, userAgent: c.UserAgent, observer: c.Observer},
		logger:   c.Logger,
		prompts:  newRecent[vector.Unit](promptBytes, 0),
		refused:  newRecent[*Error](refusedBytes, refusedFor),
		breakers: newBreakers(c.Observer),
		flights:  &flights{calls: map[flightKey]*flight{}},
	}
}

// Close ends the calls under way and waits for that. From then on nothing is sent.
func (m *Embedder) Close() { m.flights.close() }

// Embed returns the vector of a text, which Text has prepared. A dimension other than 0 is the one that it must have:
// a vector that is kept of a time when the endpoint gave another is not used. Once ctx is done it returns; the call
// goes on if others wait for it, or if ctx ended by its deadline: what it shows of the endpoint counts. The error is an *Error.
func (m *Embedder) Embed(ctx context.Context, e *Endpoint, text string, dimension int) (vector.Unit, error) {
	upstream := e.settings.Upstream.ID
	if text == "" {
		return vector.Unit{}, &Error{Cause: NoText, Upstream: upstream}
	}
	key := e.Key(text)
	if u, ok := m.prompts.get(key); ok && (dimension == 0 || u.Dimension() == dimension) {
		m.caller.observer.PromptLooked(upstream, Known)
		return u, nil
	}
	if err, ok := m.refused.get(key); ok {
		m.caller.observer.PromptLooked(upstream, Refused)
		return vector.Unit{}, err
	}
	u, err := m.send(ctx, e, key, text)
	if err == nil && dimension != 0 && u.Dimension() != dimension {
		return vector.Unit{}, &Error{Cause: WrongDimension, Upstream: upstream, dimension: u.Dimension(),
			detail: fmt.Sprintf("%d, but the examples have %d", u.Dimension(), dimension)}
	}
	return u, err
}

// send gets the vector from the endpoint, by one call for all who want it at this moment.
func (m *Embedder) send(ctx context.Context, e *Endpoint, key Key, text string) (vector.Unit, error) {
	at, upstream := flightKey{key, e.route}, e.settings.Upstream.ID
	f, begun := m.flights.join(at, func() *flight { return m.start(ctx, e, at, text) })
	outcome := Joined
	switch {
	case f == nil && !begun:
		return vector.Unit{}, &Error{Cause: Canceled, Upstream: upstream}
	case f == nil || f.unawaited:
		outcome = Skipped
	case begun:
		outcome = Sent
	}
	m.caller.observer.PromptLooked(upstream, outcome)
	if outcome == Skipped {
		return vector.Unit{}, &Error{Cause: Open, Upstream: upstream, retryAfter: m.breakers.of(e).rest()}
	}
	u, err := m.flights.wait(ctx, at, f)
	if err != nil && ctx.Err() != nil {
		return vector.Unit{}, &Error{Cause: Canceled, Upstream: upstream, err: err}
	}
	return u, err
}

// start begins a call, unless the endpoint is to be left alone. The call has the values of ctx, but not its end.
func (m *Embedder) start(ctx context.Context, e *Endpoint, at flightKey, text string) *flight {
	done, trial := m.breakers.of(e).allow()
	if done == nil {
		return nil
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	f := &flight{cancel: cancel, unawaited: trial, done: make(chan struct{})}
	m.flights.running.Go(func() {
		u, err := m.fetch(ctx, e, at.text, text)
		done(err)
		m.flights.land(at, f, u, err)
	})
	return f
}

// call embeds some texts. A panic is the failure of this call.
func (m *Embedder) call(ctx context.Context, e *Endpoint, texts []string, timeout time.Duration) (vectors []vector.Unit, err error) {
	defer func() {
		// It would be the end of the process, of which nobody but this call is to blame.
		if p := recover(); p != nil {
			m.logger.Error("embedding panicked", "upstream", e.settings.Upstream.ID, "panic", p, "stack", string(debug.Stack()))
			vectors, err = nil, &Error{Cause: Panicked, Upstream: e.settings.Upstream.ID}
		}
	}()
	return m.caller.embed(ctx, e, texts, timeout)
}

// fetch makes the call and keeps what it brings.
func (m *Embedder) fetch(ctx context.Context, e *Endpoint, key Key, text string) (vector.Unit, error) {
	vectors, err := m.call(ctx, e, []string{text}, e.settings.Timeout)
	if err != nil {
		m.remember(key, err)
		return vector.Unit{}, err
	}
	m.prompts.put(key, vectors[0], 4*vectors[0].Dimension())
	return vectors[0], nil
}

// remember keeps the refusal of a text.
func (m *Embedder) remember(key Key, err error) {
	if e, ok := errors.AsType[*Error](err); ok && e.refused() {
		again := *e
		again.Remembered, again.err = true, nil
		m.refused.put(key, &again, 0)
	}
}
