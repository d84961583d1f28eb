package dispatch

import (
	"context"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/rank"
	"github.com/sluice-gateway/sluice/core/signal"
	"github.com/sluice-gateway/sluice/proxy/apierror"
	"github.com/sluice-gateway/sluice/proxy/endpoint"
	"github.com/sluice-gateway/sluice/proxy/journal"
)

// backoffBase and backoffMax bound the pause before a retry on the same target: long enough for a restart
// behind a load balancer to be noticed, short enough that a person does not notice.
const (
	backoffBase = 50 * time.Millisecond
	backoffMax  = 2 * time.Second
)

// exchange is one request of a caller on its way through the targets.
type exchange struct {
	d        *Dispatcher
	ctx      context.Context //nolint:containedctx // an exchange is one call; its context ends when the client leaves
	w        http.ResponseWriter
	r        *http.Request
	call     Call
	class    signal.Class
	deadline time.Time // zero: none
	// committed: an answer has begun to go out; nothing is tried again.
	committed bool
	// held is the stream that has come to its commit point, before which it is handed over; nil: none has.
	held *relay
	// probe is the target whose probe slot this request holds; nil: none.
	probe *core.Target
	// exposed is what the answer says of how the prompt was compared; nil: nothing.
	exposed *exposed
	// session is the hash of the client's session; zero: none.
	session uint64
	said    *said // nil: no target has needed it
	result  Result
	// told is where the decision is remembered, and explained what the caller is told of it; empty: nothing.
	told      journal.Entry
	explained string
	// traced says why the order is as it is, until the decision is remembered; nil: nobody asks.
	traced *rank.Trace
	// dry: the order is only looked at.
	dry bool
}

// Rest goes on with a stream that has come to its commit point. It writes the head, and what there is already, and
// returns what writes the rest and says how that ended. Both are to be called once, each from any goroutine, and
// live as long as the context of the request that was served.
type Rest func(w http.ResponseWriter) (onward func() Result)

// Serve answers one request and says how that ended: a whole answer or a whole error has been written when it
// returns, or the client has left. Of a stream it writes nothing but returns the rest, which is nil otherwise;
// nothing of the call's body is kept for that.
func (d *Dispatcher) Serve(w http.ResponseWriter, r *http.Request, call Call) (Result, Rest) {
	now := time.Now()
	x := &exchange{d: d, ctx: r.Context(), w: w, r: r, call: call, class: signal.Total}
	if call.Envelope.Stream {
		x.class = signal.TTFT
	}
	if call.Group.Deadline > 0 {
		x.deadline = now.Add(call.Group.Deadline)
	}
	var room [8]step
	p := x.plan(room[:0], now)
	x.probe = p.probe
	x.decided(&p, now)
	defer func() {
		x.unsay()
		if x.held == nil {
			x.ended()
		}
		if x.held == nil || x.held.a.target != x.probe { // a stream that is held is the last attempt
			x.releaseProbe()
		}
	}()
	f := p.refused
	if f == nil {
		f = x.walk(p.steps)
	}
	if f != nil {
		x.refuse(f.slug, f.public)
	}
	x.remember(p.steps)
	if x.held != nil {
		return Result{}, x.handOver()
	}
	return x.result, nil
}

// handOver drops what only attempts need: a stream may be idle for long.
func (x *exchange) handOver() Rest {
	if a := x.held.a; a.sending.over() { // an answer may begin while its question is still being sent
		a.body.Forget()
		a.forget()
	}
	x.w, x.r, x.call.Envelope = nil, nil, nil
	return x.held.rest
}

// walk tries the steps in order until one answers. It returns nil when the client has been answered, or
// has left, or a stream is held; else the fault that the client is to be told of.
func (x *exchange) walk(steps []step) *fault {
	var kept *fault
	tried := 0
	for i, s := range steps {
		if budget := x.call.Group.MaxFallbacks; budget >= 0 && tried > budget {
			break
		}
		s.claimed = s.halfOpen && x.d.Cooldowns.Claim(s.Target.Signal, time.Now())
		if s.halfOpen && !s.claimed && (tried > 0 || i+1 < len(steps)) {
			if s.Probe {
				x.releaseProbe()
			}
			continue // another request is finding out
		}
		tried++
		f := x.target(s)
		if x.held != nil {
			return nil
		}
		if s.Probe {
			x.releaseProbe()
		}
		if f == nil {
			return nil
		}
		kept = prefer(kept, f)
		if f.unasked {
			tried-- // it was no fallback
		}
		if !f.fallOver {
			break
		}
	}
	return kept
}

// teaches reports whether the attempts of the request teach that.
func (x *exchange) teaches(what endpoint.Teaching) bool { return x.call.Endpoint.Teaches >= what }

// releaseProbe gives back the probe slot that the ranking has claimed for this request, once.
func (x *exchange) releaseProbe() {
	if x.probe != nil {
		x.d.Board.Release(x.probe.Signal)
		x.probe = nil
	}
}

// prefer picks what the client is told of two failures in a row: the later one, unless it is only a
// fallback's objection to a request that an earlier target would have taken.
func prefer(kept, f *fault) *fault {
	if kept != nil && f.slug == slugRefused {
		return kept
	}
	return f
}

// target tries one target, again as far as the group and the fault allow.
func (x *exchange) target(s step) *fault {
	for try := 0; ; try++ {
		if f := x.over(); f != nil {
			return f
		}
		f, aside := x.attempt(s)
		if f == nil || !f.retrySame || try >= x.call.Group.Retries {
			return f
		}
		if aside && f.slug != slugRateLimit {
			return f
		}
		if !x.pause(f, try, s.Target.Cooldown.Max) {
			return f
		}
	}
}

// over returns why no further attempt makes sense; nil when one does.
func (x *exchange) over() *fault {
	if err := x.ctx.Err(); err != nil {
		return interrupted(x.ctx, x.ctx)
	}
	if !x.deadline.IsZero() && !time.Now().Before(x.deadline) {
		return &fault{slug: slugDeadline, cause: errDeadline, public: apierror.UpstreamTimeout()}
	}
	return nil
}

// pause waits before a retry. It is false when the wait is longer than longest or does not fit into the
// request's deadline, or when the client leaves meanwhile.
func (x *exchange) pause(f *fault, try int, longest time.Duration) bool {
	wait := rand.N(min(backoffBase<<try, backoffMax))
	if f.cool.RetryAfter > 0 {
		wait = f.cool.RetryAfter
	}
	if wait > longest || (!x.deadline.IsZero() && time.Until(x.deadline) < wait) {
		return false
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-x.ctx.Done():
		return false
	}
}

// refuse tells the client of a failure, if it is still there and no answer has begun.
func (x *exchange) refuse(outcome string, e apierror.Error) {
	x.result.Outcome = outcome
	if outcome == slugClientGone || x.ctx.Err() != nil && outcome != slugShutdown {
		x.result.Outcome, x.result.Status = slugClientGone, statusClientGone
		return
	}
	if status := x.d.FailedStatus; status != 0 && (e.Status == http.StatusBadGateway || e.Status == http.StatusGatewayTimeout) {
		e.Status = status
	}
	x.result.Status = e.Status
	x.headers(x.w.Header())
	x.call.Endpoint.Dialect.Write(x.w, e, x.call.RequestID)
}

// statusClientGone is what logs say of a client that left before its answer began; nginx coined it.
const statusClientGone = 499

// headers sets what every answer says of its way here.
func (x *exchange) headers(h http.Header) {
	if x.result.Target != "" {
		h["X-Sluice-Target"] = []string{x.result.Target}
	}
	h["X-Sluice-Attempts"] = []string{strconv.Itoa(x.result.Attempts)}
	if x.explained != "" {
		h[decisionHeader] = []string{x.explained}
	}
	x.expose(h)
	h["X-Sluice-Revision"] = []string{strconv.FormatInt(x.call.Revision, 10)}
}
