package dispatch

import (
	"net/http"
	"time"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/rank"
	"github.com/sluice-gateway/sluice/core/signal"
	"github.com/sluice-gateway/sluice/proxy/endpoint"
	"github.com/sluice-gateway/sluice/proxy/ratelimit"
)

// fewSamples is how many answers must be remembered of a target before their percentiles or their throughput say
// anything of it: a single slow answer is no reason to put it behind the others.
const fewSamples = 3

// evidence is what scored groups look at beside the estimates. Its functions are made once, so that a request
// allocates nothing for them; each reads the clock when it is called.
type evidence struct {
	quota, throughput func(*core.Target) (float64, bool)
	spread            [2]func(*core.Target) (p50, p90, p99 float64, known bool) // by class
}

func newEvidence(board *signal.Board) evidence {
	e := evidence{
		quota: func(t *core.Target) (float64, bool) { return board.Quota(t.Signal, time.Now()) },
		throughput: func(t *core.Target) (float64, bool) {
			perSecond, answers := board.Throughput(t.Signal, time.Now())
			return perSecond, answers >= fewSamples
		},
	}
	for c := range e.spread {
		e.spread[c] = func(t *core.Target) (p50, p90, p99 float64, known bool) {
			s := board.Spread(t.Signal, signal.Class(c), time.Now())
			return s.P50, s.P90, s.P99, s.Weight >= fewSamples
		}
	}
	return e
}

// show gives the ranking what the group, or one below it, asks for.
func (e *evidence) show(v *rank.View, g *core.Group) {
	if g.ByQuota {
		v.Quota = e.quota
	}
	if g.Details&signal.WantThroughput != 0 {
		v.Throughput = e.throughput
	}
	if g.Details&signal.WantSpread != 0 {
		v.Spread = e.spread[v.Class]
	}
}

// limited notes what an answer, whatever its status, says of its upstream's rate limits. Endpoints that are no samples
// of the target have limits of their own.
func (a *attempt) limited(h http.Header) {
	if !a.x.teaches(endpoint.Latency) {
		return
	}
	now := time.Now()
	if q, said := ratelimit.Read(h, now); said {
		a.x.d.Board.Limited(a.target.Signal, q, now)
	}
}

// output is how many tokens came in the time that counts for throughput: of a stream those behind the first one.
func (a *attempt) output() int64 {
	if a.firstToken > 0 {
		return a.usage.Completion - 1
	}
	return a.usage.Completion
}
