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

// burden gives the leaves their scores: the expected time to an answer with regard to the load.
func burden(leaves []leaf, mode core.Inflight, mean float64) {
	a0 := startRequests + startShare*mean
	for i := range leaves {
		l := &leaves[i]
		switch {
		case l.class == hot:
		case mode == core.InflightNormalized:
			l.score = bounded(l.expected * math.Sqrt((l.inflight+a0)/(l.usual+a0)))
		case mode == core.InflightAbsolute:
			l.score = bounded(l.expected * max(l.filled(1), 1))
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
