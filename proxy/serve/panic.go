package serve

import (
	"errors"
	"net/http"
	"runtime/debug"

	"github.com/sluice-gateway/sluice/proxy/apierror"
)

// outcomeAbort marks a request whose connection must be closed, since part of an answer is out.
const outcomeAbort = "panic"

// recovered answers a request whose handler panicked: with an error while no head has gone out, which the
// Content-Type tells, with an error event inside a stream, and by closing the connection in any case then.
func (x *exchange) recovered(p any) {
	if err, ok := p.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		x.done.Result.Outcome = outcomeAbort
		return
	}
	x.e.cfg.Logger.Error("panic in a request", "request_id", x.id, "panic", p, "stack", string(debug.Stack()))
	if x.w.Header().Get("Content-Type") == "" {
		x.refuse(apierror.Internal())
		return
	}
	x.done.Result.Outcome = outcomeAbort
	if x.w.Header().Get("Content-Type") == "text/event-stream" {
		x.w.Write(x.dialect.AppendEvent(nil, apierror.Internal(), apierror.Place{RequestID: x.id}))
		http.NewResponseController(x.w).Flush()
	}
}
