package dispatch

import (
	"context"
	"errors"
	"net"
	"net/http"
	"slices"
	"time"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/proxy/apierror"
	"github.com/sluice-gateway/sluice/proxy/cooldown"
)

// fault is why an attempt did not end in a good answer, and what follows from that. The table of
// docs/cooldown.md is this file in words.
type fault struct {
	slug string
	// public is what the client is told if nothing better comes.
	public apierror.Error
	// cause is for the log only; nil when slug says it all.
	cause error

	retrySame bool // the same target may be tried again
	fallOver  bool // the next target may be tried
	unasked   bool // nothing was sent: the target has no words for the request, and was passed over
	blame     bool // counts against the target: signals and cooldown
	cool      cooldown.Fault
}

// The ways in which an attempt fails.
const (
	slugConnect    = "connect_error"
	slugTransport  = "transport_error"
	slugTimeout    = "timeout"
	slugStatus     = "upstream_status"
	slugRateLimit  = "rate_limited"
	slugCredential = "credential_refused"
	slugRedirect   = "redirect"
	slugBadAnswer  = "bad_answer"
	slugErrorEvent = "error_event"
	slugTruncated  = "truncated"
	slugRefused    = "refused"
	slugClientGone = "client_gone"
	slugShutdown   = "shutdown"
	slugDeadline   = "deadline"
	slugCooling    = "cooling"
	slugFull       = "full"
	slugEmbedding  = "embedding_failed"
)

// ErrShutdown is the cause with which the node cancels what its drain limit did not leave time for.
var ErrShutdown = errors.New("the gateway is shutting down")

// broken is an upstream that failed by itself: it may be tried again, and it is blamed.
func broken(slug string, cause error, public apierror.Error) *fault {
	return &fault{slug: slug, cause: cause, public: public, retrySame: true, fallOver: true, blame: true}
}

// interrupted explains why the context of an attempt ended; nil when it has not.
func interrupted(caller, attempt context.Context) *fault {
	if attempt.Err() == nil {
		return nil
	}
	switch cause := context.Cause(attempt); {
	case errors.Is(cause, ErrShutdown):
		return &fault{slug: slugShutdown, cause: cause, public: apierror.Unavailable(0)}
	case errors.Is(cause, errDeadline):
		return &fault{slug: slugDeadline, cause: cause, blame: true, public: apierror.UpstreamTimeout()}
	case caller.Err() != nil:
		return &fault{slug: slugClientGone, cause: cause}
	default:
		return timedOut(cause)
	}
}

// timedOut is not tried again on the same target: the wait would only double.
func timedOut(cause error) *fault {
	return &fault{slug: slugTimeout, cause: cause, public: apierror.UpstreamTimeout(), fallOver: true, blame: true}
}

// transportFault explains an error of the connection, before or inside an answer.
func transportFault(caller, attempt context.Context, slug string, err error) *fault {
	if f := interrupted(caller, attempt); f != nil {
		return f
	}
	var op *net.OpError
	if timeout := net.Error(nil); errors.As(err, &timeout) && timeout.Timeout() {
		return timedOut(err)
	}
	if errors.As(err, &op) && op.Op == "dial" {
		slug = slugConnect
	}
	return broken(slug, err, apierror.UpstreamFailed())
}

// statusFault explains an answer that is not 2xx. e is the upstream's error as the caller may see it.
func statusFault(target *core.Target, g *core.Group, status int, e apierror.Error, retryAfter time.Duration) *fault {
	f := &fault{slug: slugStatus, public: e}
	switch {
	case status == http.StatusTooManyRequests:
		f.slug, f.fallOver, f.retrySame, f.blame = slugRateLimit, true, g.RetryOn429, true
		f.cool = cooldown.Fault{AtOnce: true, RetryAfter: retryAfter}
	case status == http.StatusRequestTimeout, status >= 500:
		f.fallOver, f.retrySame, f.blame = true, true, true
		f.cool = cooldown.Fault{RetryAfter: retryAfter}
	case refusesCredential(status) && target.Upstream.Credential.Key != "":
		f.slug, f.fallOver, f.blame = slugCredential, true, true
		f.cool = cooldown.Fault{AtOnce: true, Credential: true}
		f.public = apierror.UpstreamFailed()
	case status < 400:
		f.slug, f.fallOver, f.blame = slugRedirect, true, true
		f.public = apierror.UpstreamFailed()
	default:
		f.slug = slugRefused
		_, f.fallOver = slices.BinarySearch(g.FallbackOnStatuses, status)
	}
	return f
}

func refusesCredential(status int) bool {
	return status == http.StatusUnauthorized || status == http.StatusPaymentRequired || status == http.StatusForbidden
}
