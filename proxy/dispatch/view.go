package dispatch

import (
	"time"

	"github.com/sluice-gateway/sluice/core/rank"
	"github.com/sluice-gateway/sluice/core/signal"
	"github.com/sluice-gateway/sluice/proxy/endpoint"
)

// view gathers what the ranking looks at for this request, and of that only what the group goes by. The fault
// is the client's.
func (x *exchange) view(now time.Time) (rank.View, *fault) {
	d, g := x.d, x.call.Group
	v := rank.View{
		Board: d.Board, Class: x.class, Now: now, Lag: d.Lag(),
		Owner: x.owner(now),
		Need:  rank.Need{Capabilities: x.call.Envelope.Needs, Kinds: x.call.Endpoint.Kinds},
		Dry:   x.dry, NoProbe: !x.teaches(endpoint.Latency),
	}
	var f *fault
	if v.Need.Tags, f = x.tags(); f != nil {
		return v, f
	}
	if g.HashOn != nil {
		v.Hash = x.key(g.HashOn)
	}
	if g.StickyOn != nil {
		x.session = x.key(g.StickyOn)
	}
	if x.session != 0 {
		v.Session = x.session
		v.Previous = x.previous(now)
	}
	if g.Windowed {
		v.Tokens = x.tokens()
	}
	if g.ByCost {
		v.Price = x.price
	}
	d.evidence.show(&v, g)
	return v, nil
}

// owner reports whether this node holds the fleet's probe slot of a target.
func (x *exchange) owner(now time.Time) func(signal.Key) bool {
	return func(k signal.Key) bool { return x.d.Owner(k, now) }
}
