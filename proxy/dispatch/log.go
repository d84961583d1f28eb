package dispatch

import (
	"errors"
	"log/slog"
)

// log says how the attempt ended: every one at debug, one that failed at warn. A client that left is no
// failure.
func (a *attempt) log(report Attempt, f *fault, cooled bool) {
	level := slog.LevelDebug
	if f != nil && f.slug != slugClientGone {
		level = slog.LevelWarn
	}
	d, ctx := a.x.d, a.x.r.Context()
	if !d.Logger.Enabled(ctx, level) {
		return
	}
	attrs := []slog.Attr{
		slog.String("request_id", a.x.call.RequestID), slog.String("target", a.target.Model), slog.Int("attempt", a.x.result.Attempts),
		slog.String("reason", report.Outcome), slog.Duration("elapsed", report.Elapsed), slog.String("upstream_request_id", a.requestID),
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

// errorText returns what a log may say of a cause. Errors of the transport name hosts, never credentials:
// those travel in headers, and a query is cut off.
func errorText(err error) string {
	if err == nil {
		return ""
	}
	for u := errors.Unwrap(err); u != nil; u = errors.Unwrap(err) {
		err = u
	}
	return err.Error()
}
