package rank

import (
	"math"

	"github.com/sluice-gateway/sluice/core"
)

// The weight of a load is damped: with a square root instead of a proportion, counts that are a second old
// make no tide from one target to another and back.
//
// Slow start: a target that had no load for long looks a little busier at once when it is given some, so that
// its share doubles every few seconds rather than at a stroke. One request, and half of what its like has.
const (
	startRequests = 1.0
	startShare    = 0.5
)

// maxToll is the elasticity from which on no more is charged.
const maxToll = 0.9

// toll is what one request more costs all of them together, as a multiple of what it costs itself. With L the
// latency, q = λL the load and e = d ln L / d ln q, the marginal cost d(λL)/dλ is L/(1-e). Where requests go to
// the least latency, all targets end up equally slow, the best with the longest queue; where they go to the least
// marginal cost, the mean over all requests is least (Pigou: The economics of welfare, 1920).
func (l *leaf) toll() float64 { return 1 / (1 - min(l.queues(), maxToll)) }

// burden gives the leaves their scores: the expected time to an answer with regard to the load.
func burden(leaves []leaf, mode core.Inflight, mean float64) {
	a0 := startRequests + startShare*mean
	for i := range leaves {
		l := &leaves[i]
		switch {
		case l.class == hot:
		case mode == core.InflightNormalized:
			l.score = bounded(l.expected * l.toll() * math.Sqrt((l.inflight+a0)/(l.usual+a0)))
		case mode == core.InflightAbsolute:
			l.score = bounded(l.expected * l.toll() * max(l.filled(1), 1))
		default:
			l.score = bounded(l.expected * l.toll())
		}
	}
}

// filled is what part of the target's places are taken once further requests are in flight. A target that does not
// say how many it has counts as one that serves one at a time.
func (l *leaf) filled(further float64) float64 {
	return (l.inflight + further) / float64(max(l.target.MaxConcurrency, 1))
}

// heat marks what is full, after Prequal's rule that no latency makes up for a queue (Wydrowski and others: Load is
// not what you should balance, NSDI 2024). Only a target that says how many it serves at once can be. Those that
// are full rank by how far.
func heat(leaves []leaf) {
	for i := range leaves {
		if l := &leaves[i]; l.class != failing && l.target.MaxConcurrency > 0 && l.filled(0) >= 1 {
			l.class, l.score = hot, l.filled(0)
		}
	}
}
