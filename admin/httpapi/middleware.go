package httpapi

import (
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"
)

// recorder remembers how an answer went.
type recorder struct {
	http.ResponseWriter
	status int
	bytes  int64
}

// WriteHeader remembers the status.
func (r *recorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

// Write counts what was written.
func (r *recorder) Write(b []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	n, err := r.ResponseWriter.Write(b)
	r.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach the connection.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// withLog writes one line for each request: neither bodies nor queries nor credentials.
func withLog(log *slog.Logger, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec := &recorder{ResponseWriter: w}
		start := time.Now()
		defer func() {
			level := slog.LevelInfo
			if probe := r.URL.Path == "/livez" || r.URL.Path == "/readyz"; probe && rec.status == http.StatusOK {
				level = slog.LevelDebug // every few seconds, for ever
			}
			log.Log(r.Context(), level, "request", "method", r.Method, "path", r.URL.EscapedPath(), "status", rec.status, "bytes", rec.bytes,
				"seconds", time.Since(start).Seconds(), "remote", r.RemoteAddr, "request_id", w.Header().Get(headerRequestID))
		}()
		next.ServeHTTP(rec, r)
	})
}

// withRecovery turns a panic into a problem, or into a broken connection once an answer has begun.
// http.ErrAbortHandler goes on: it is how a handler breaks the connection on purpose.
func withRecovery(log *slog.Logger, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec := &recorder{ResponseWriter: w}
		defer func() {
			reason := recover()
			if reason == nil {
				return
			}
			if reason == http.ErrAbortHandler {
				panic(reason)
			}
			log.Error("panic", "reason", reason, "request_id", w.Header().Get(headerRequestID), "stack", string(debug.Stack()))
			if rec.status != 0 {
				panic(http.ErrAbortHandler)
			}
			writeProblem(w, r, problem(http.StatusInternalServerError, "internal", "Something went wrong here", "the log of this service has more under the request id"))
		}()
		next.ServeHTTP(rec, r)
	})
}

// withHead answers HEAD as GET; the server leaves the body out.
func withHead(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodHead {
			get := *r
			get.Method = http.MethodGet
			r = &get
		}
		next.ServeHTTP(w, r)
	})
}
