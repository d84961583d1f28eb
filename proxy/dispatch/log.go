package dispatch

import (
	"compress/gzip"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"syscall"

	"github.com/sluice-gateway/sluice/proxy/conversation"
	"github.com/sluice-gateway/sluice/proxy/sse"
)

// log says how the attempt ended: every one at debug, one that failed at warn, one whose answer stopped for a reason
// that a translation does not know at info. A client that left is no failure.
func (a *attempt) log(report Attempt, f *fault, cooled bool) {
	level, unknown := slog.LevelDebug, a.unknownStop()
	if unknown != "" {
		level = slog.LevelInfo
	}
	if f != nil && f.slug != slugClientGone {
		level = slog.LevelWarn
	}
	d, ctx := a.x.d, a.x.ctx
	if !d.Logger.Enabled(ctx, level) {
		return
	}
	attrs := []slog.Attr{
		slog.String("request_id", a.x.call.RequestID), slog.String("target", a.target.Model), slog.Int("attempt", a.x.result.Attempts),
		slog.String("reason", report.Outcome), slog.Duration("elapsed", report.Elapsed), slog.String("upstream_request_id", a.requestID),
	}
	if unknown != "" {
		attrs = append(attrs, slog.String("unknown_stop_reason", unknown))
	}
	if f != nil {
		attrs = append(attrs, slog.Int("status", f.public.Status), slog.Bool("cooled", cooled), slog.String("error", errorText(f.cause)))
	}
	if level == slog.LevelWarn {
		d.Logger.LogAttrs(ctx, level, "attempt failed", attrs...)
		return
	}
	d.Logger.LogAttrs(ctx, level, "attempt ended", attrs...)
}

// maxReason bounds what the log repeats of a reason to stop.
const maxReason = 64

// unknownStop returns why the answer stopped if a translation took an unknown reason for the ordinary one; empty: it
// did not. Words of any other form than those of the dialects could be anything, and are not repeated.
func (a *attempt) unknownStop() string {
	switch t := a.translation; {
	case t == nil || t.unknown == "":
		return ""
	case conversation.ToolName(t.unknown, maxReason):
		return t.unknown
	}
	return "not a word"
}

// own are the causes whose text is ours.
var own = []error{
	errFirstToken, errIdle, errAttempt, errDeadline, errAnswerTooLarge, errNoRoom, errCoding, errTranslation, ErrShutdown, sse.ErrTooLarge, sse.ErrTruncated,
	io.EOF, io.ErrUnexpectedEOF, context.Canceled, context.DeadlineExceeded, gzip.ErrHeader, gzip.ErrChecksum,
}

// errorText returns what a log may say of a cause. net/http quotes the upstream's bytes in its errors, and those
// can hold a credential or a prompt: only causes whose text is known not to are shown.
func errorText(err error) string {
	if err == nil {
		return ""
	}
	for _, known := range own {
		if errors.Is(err, known) {
			return known.Error()
		}
	}
	var op *net.OpError
	var dns *net.DNSError
	var errno syscall.Errno
	var certificate *tls.CertificateVerificationError
	var alert tls.AlertError
	switch {
	case errors.As(err, &dns):
		return dns.Error()
	case errors.As(err, &errno):
		return errno.Error()
	case errors.As(err, &certificate):
		return certificate.Error()
	case errors.As(err, &alert):
		return alert.Error()
	case errors.As(err, &op):
		return op.Error()
	}
	return "malformed answer"
}
