package dispatch

import (
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/signal"
	"github.com/sluice-gateway/sluice/proxy/apierror"
	"github.com/sluice-gateway/sluice/proxy/endpoint"
	"github.com/sluice-gateway/sluice/proxy/envelope"
	"github.com/sluice-gateway/sluice/proxy/provider"
)

const (
	// maxError bounds what is read of an upstream's error body.
	maxError = 64 << 10
	// maxRequestID bounds what the log repeats of an upstream's request id.
	maxRequestID = 128
)

// attempt is one try of one target.
type attempt struct {
	x      *exchange
	target *core.Target
	// claimed: this attempt is the probe of a half-open target, and gives it back if it proves nothing.
	claimed bool
	dialect *provider.Dialect
	limits  core.Limits
	ctx     context.Context //nolint:containedctx // an attempt is one call, and its context ends with it
	cancel  context.CancelCauseFunc
	dog     *watchdog
	start   time.Time
	load    int           // the fleet's requests in flight to the target just before this one
	wait    signal.Wait   // until the first token, or to the end of a whole answer
	body    envelope.Body // as sent
	sending sending
	// translation is how the request is said to the upstream and its answer to the caller; nil: in the caller's own words.
	translation *translation
	answer      io.ReadCloser // the body of the upstream's answer; nil: none yet
	settled     bool

	requestID  string        // the upstream's own, for its operator; empty: it gave none
	class      signal.Class  // of what it measures: a stream that turns out to be a whole answer is none
	status     int           // the upstream's; 0: it gave none
	firstToken time.Duration // zero: no content yet
	took       time.Duration // until a whole answer was read; zero: not yet
	usage      Usage
	text       int // bytes of the caller's body, if it is all text; 0: it is not, or it cannot be compared
}

// attempt tries the step's target once and settles what that means for its signals. It returns nil when
// the client has been answered or has left, or a stream is held, which settles that at its end; and whether
// the target is set aside now, be it by another request's failure.
func (x *exchange) attempt(s step) (f *fault, aside bool) {
	t, f := x.translate(s.Target)
	if f != nil {
		if s.claimed {
			x.d.Cooldowns.Release(s.Target.Signal)
		}
		if f.unasked {
			x.unasked(s.Target, f)
		}
		return f, false
	}
	x.result.Attempts++
	x.result.Target = s.Target.Model
	a := x.begin(s)
	a.translation = t
	defer func() {
		if x.held == nil {
			a.end()
		}
	}()
	f = a.run()
	if x.held != nil {
		return nil, false
	}
	return a.settle(f)
}

// begin starts an attempt, which is to be ended.
func (x *exchange) begin(s step) *attempt {
	a := &attempt{
		x: x, target: s.Target, claimed: s.claimed, dialect: endpoint.Dialect(s.Target.Upstream.Kind),
		limits: s.Target.Limits.Over(x.call.Group.Timeouts), class: x.class, start: time.Now(),
	}
	if e := x.call.Envelope; e.AllText() {
		a.text = e.TextBytes()
	}
	a.ctx, a.cancel = context.WithCancelCause(allowConnect(x.ctx, a.limits.Connect))
	a.dog = a.watch(a.cancel)
	a.load = x.d.Board.Begin(s.Target.Signal)
	if x.teaches(endpoint.Latency) {
		x.d.Board.Await(&a.wait, s.Target.Signal, a.class, a.start)
	}
	return a
}

// end lets go of everything. An attempt that a panic has kept from being settled leaves nobody waiting for its probe.
func (a *attempt) end() {
	a.hangUp()
	if !a.settled {
		a.unclaim()
	}
	a.forget()
	a.translation.release(a.x.d)
	a.wait.Answered()
	a.x.d.Board.Done(a.target.Signal)
	a.dog.stop()
	a.cancel(nil)
}

// hangUp closes the answer, if there is one; again does nothing.
func (a *attempt) hangUp() {
	if a.answer != nil {
		a.answer.Close()
		a.answer = nil
	}
}

// watch starts the watchdog for the limits of the target and of the request.
func (a *attempt) watch(cancel context.CancelCauseFunc) *watchdog {
	hard, cause := a.x.deadline, errDeadline
	if a.limits.Attempt > 0 {
		if end := a.start.Add(a.limits.Attempt); hard.IsZero() || end.Before(hard) {
			hard, cause = end, errAttempt
		}
	}
	first := time.Duration(0)
	if a.x.call.Envelope.Stream {
		first = a.limits.FirstToken
	}
	return watch(cancel, a.start, first, hard, cause)
}

// run sends the request and relays the answer, or holds a stream.
func (a *attempt) run() *fault {
	resp, err := a.send()
	if err != nil {
		return transportFault(a.x.ctx, a.ctx, slugTransport, err)
	}
	a.answer, a.status = resp.Body, resp.StatusCode
	a.limited(resp.Header)
	defer func() {
		if a.x.held == nil {
			a.hangUp()
		}
	}()
	a.requestID = apierror.Text(resp.Header.Get(a.dialect.RequestID), maxRequestID)
	body, err := decoded(resp)
	if err != nil {
		return broken(slugBadAnswer, err, apierror.UpstreamFailed())
	}
	switch {
	case resp.StatusCode < 200 || resp.StatusCode > 299:
		return a.refused(resp, body)
	case a.x.call.Envelope.Stream && isEventStream(resp.Header):
		return a.hold(resp, body)
	default:
		return a.whole(resp, body)
	}
}

var errCoding = errors.New("content coding that was not asked for")

// decoded returns the body without its content coding. None was asked for, but some upstreams insist.
func decoded(resp *http.Response) (io.Reader, error) {
	switch resp.Header.Get("Content-Encoding") {
	case "", "identity":
		return resp.Body, nil
	case "gzip", "x-gzip":
		return &lazyGzip{src: resp.Body}, nil
	default:
		return nil, errCoding
	}
}

// lazyGzip reads the gzip header with the first bytes, not before: an idle stream has none yet.
type lazyGzip struct {
	src io.Reader
	r   *gzip.Reader
}

func (g *lazyGzip) Read(p []byte) (int, error) {
	if g.r == nil {
		r, err := gzip.NewReader(g.src)
		if err != nil {
			return 0, err
		}
		g.r = r
	}
	return g.r.Read(p)
}

// refused reads an answer that is not 2xx.
func (a *attempt) refused(resp *http.Response, body io.Reader) *fault {
	text, err := io.ReadAll(io.LimitReader(body, maxError))
	if f := interrupted(a.x.ctx, a.ctx); err != nil && f != nil {
		return f
	}
	e := a.inOurWords(a.dialect.DecodeError(a.target, resp.StatusCode, resp.Header, text))
	return statusFault(a.target, a.x.call.Group, resp.StatusCode, e, e.RetryAfter)
}

// begun tells the fleet of a first token when it comes, not when its stream ends, which may be minutes later.
func (a *attempt) begun(now time.Time) {
	a.firstToken = max(now.Sub(a.start), 1)
	a.wait.Answered()
	if a.x.teaches(endpoint.Latency) {
		a.x.d.Board.Succeed(a.target.Signal, a.class, a.firstToken, a.load, now)
		a.x.d.Cooldowns.Prove(a.target, a.start)
	}
	if a.x.probe == a.target {
		a.x.releaseProbe()
	}
}

// unclaim gives the probe back without a verdict.
func (a *attempt) unclaim() {
	if a.claimed {
		a.x.d.Cooldowns.Release(a.target.Signal)
	}
}

// settle feeds the signals and the cooldowns with how the attempt ended. What it returns is what attempt does.
func (a *attempt) settle(f *fault) (told *fault, aside bool) {
	a.settled = true
	if f != nil && f.slug == slugDeadline {
		f.blame = a.x.result.Attempts == 1 // else an earlier attempt has used up the time
	}
	now, d := time.Now(), a.x.d
	report := Attempt{Target: a.target, Outcome: "ok", Elapsed: now.Sub(a.start), FirstToken: a.firstToken, Usage: a.usage}
	if f != nil {
		report.Outcome = f.slug
	}
	cooled := a.teach(f, report.Elapsed, now)
	d.Observer.Attempt(report)
	a.tell(report, cooled)
	a.log(report, f, cooled)
	aside = f != nil && f.blame && d.Cooldowns.Standing(a.target, now).Remaining > 0
	if f != nil && a.x.committed {
		return nil, aside
	}
	return f, aside
}

// teach passes on what the attempt says of its target, as far as the endpoint lets it, and reports whether the target
// is set aside for it.
func (a *attempt) teach(f *fault, elapsed time.Duration, now time.Time) (cooled bool) {
	d, key, samples := a.x.d, a.target.Signal, a.x.teaches(endpoint.Latency)
	switch {
	case !a.x.teaches(endpoint.Health), f != nil && !f.blame:
		a.unclaim()
	case f == nil:
		if samples && a.firstToken == 0 { // else begun has measured it
			d.Board.Succeed(key, a.class, cmp.Or(a.took, elapsed), a.load, now)
		}
		d.Cooldowns.Succeed(a.target, a.start)
	default:
		if a.firstToken > 0 { // how long the stream ran is no time to a first token
			elapsed = 0
		}
		if samples {
			d.Board.Fail(key, a.class, elapsed, a.load, now)
		}
		if cooled = d.Cooldowns.Fail(a.target, f.cool, a.start, now) > 0; cooled {
			d.Cooled()
		}
	}
	if f == nil && samples {
		d.lengths.learn(key, a.usage.Completion, now)
		d.densities.learn(key, a.usage.Prompt, a.text, now)
		d.Board.Produced(key, a.class, a.output(), cmp.Or(a.took, elapsed)-a.firstToken, now)
	}
	return cooled
}
