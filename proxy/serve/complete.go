package serve

import (
	"errors"
	"time"

	"github.com/sluice-gateway/sluice/proxy/apierror"
	"github.com/sluice-gateway/sluice/proxy/dispatch"
	"github.com/sluice-gateway/sluice/proxy/envelope"
	"github.com/sluice-gateway/sluice/proxy/provider"
)

// explainHeader asks for the decision behind the answer.
const explainHeader = "X-Sluice-Explain"

// retryBusy is what a client is told to wait when the gateway has no room: bodies live for one request.
const retryBusy = time.Second

func unavailable(message string, retryAfter time.Duration) apierror.Error {
	e := apierror.Unavailable(retryAfter)
	e.Message = message
	return e
}

// complete serves an endpoint whose body names a model and whose answer a target gives.
func (x *exchange) complete() {
	if rest := x.begin(); rest != nil {
		x.relay(rest)
	}
}

// begin answers the request, or returns the rest of a stream. Room for the body is held until then: nothing is
// sent again after that.
func (x *exchange) begin() (rest dispatch.Rest) {
	caller := x.caller()
	if caller == nil {
		return nil
	}
	if provider.Hops(x.r.Header) > provider.MaxHops {
		x.refuse(apierror.LoopDetected())
		return nil
	}
	raw, held, ok := x.body()
	if !ok {
		return nil
	}
	defer x.e.cfg.Budget.Give(held)
	env, err := envelope.Parse(raw, x.endpoint.Shape)
	if err != nil {
		var bad *envelope.Error
		errors.As(err, &bad)
		x.refuse(apierror.InvalidRequest(bad.Param, bad.Message))
		return nil
	}
	if env.Stream && !x.endpoint.Streams() {
		x.refuse(apierror.InvalidRequest("stream", "This endpoint has no streams; leave \"stream\" out."))
		return nil
	}
	group, known := x.state.Group(env.Model)
	if !known || !caller.Allows(env.Model) { // the two are told apart by nobody
		x.refuse(apierror.ModelNotFound(env.Model))
		return nil
	}
	x.done.Model, x.done.Stream = group.ID, env.Stream
	r := x.r
	if env.Stream && x.detachable() {
		r = x.outlive()
	}
	x.done.Result, rest = x.e.cfg.Dispatcher.Serve(x.w, r, dispatch.Call{
		Endpoint: x.endpoint, Envelope: env, Group: group, Examples: x.state.Examples, Revision: x.state.Revision, RequestID: x.id, Caller: x.key,
		Explain: caller.Explain && x.r.Header.Get(explainHeader) == "1",
	})
	return rest
}
