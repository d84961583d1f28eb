package dispatch

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/decision"
	"github.com/sluice-gateway/sluice/core/signal"
	"github.com/sluice-gateway/sluice/proxy/apierror"
)

// Explain says what would be decided about a call that nobody has made. Nothing is sent to a target, and nothing that is
// decided by changes: no wheel turns, no probe slot is claimed and no session is remembered. Of the facts those count
// that no body tells.
func (d *Dispatcher) Explain(ctx context.Context, call Call, facts *decision.Facts) decision.Explanation {
	now := time.Now()
	r := suppose(call.Group, facts)
	call.Caller = supposedCaller(call.Group, facts)
	x := &exchange{d: d, ctx: ctx, r: r.WithContext(ctx), call: call, class: signal.Total, dry: true}
	if call.Envelope.Stream {
		x.class = signal.TTFT
	}
	p := x.plan(nil, now)
	out := decision.Explanation{Model: call.Group.ID, Revision: call.Revision, Stream: call.Envelope.Stream}
	out.Order, out.Refused, out.Ranking = p.order([]decision.Step{}), p.refusal(), x.traced
	return out
}

// suppose makes the request that would say what the facts say.
func suppose(g *core.Group, facts *decision.Facts) *http.Request {
	r := &http.Request{Header: http.Header{}}
	if len(facts.Tags) > 0 {
		r.Header.Set(apierror.TagsHeader, strings.Join(facts.Tags, ","))
	}
	say(r, g.StickyOn, facts.Session)
	say(r, g.HashOn, facts.Hash)
	return r
}

func supposedCaller(g *core.Group, facts *decision.Facts) string {
	byKey := func(on *core.HashOn) bool { return on != nil && on.Source == core.HashAPIKey }
	switch {
	case byKey(g.HashOn) && facts.Hash != "":
		return facts.Hash
	case byKey(g.StickyOn):
		return facts.Session
	}
	return ""
}

// say puts the text where on looks for it. The id of an API key stands in the call.
func say(r *http.Request, on *core.HashOn, text string) {
	if on == nil || text == "" {
		return
	}
	switch on.Source {
	case core.HashHeader:
		if on.Name == "Host" {
			r.Host = text
			return
		}
		r.Header[on.Name] = []string{text}
	case core.HashCookie:
		r.AddCookie(&http.Cookie{Name: on.Name, Value: text})
	case core.HashClientIP:
		r.RemoteAddr = text
	case core.HashAPIKey:
	}
}
