package main

import (
	"math"
	"time"

	"github.com/sluice-gateway/sluice/core/signal"
)

// founded is the weight from which an estimate counts.
const founded = 8

// agreement is how far the nodes' estimates of the targets lie apart, SIGNALS.md §6.7.
type agreement struct {
	// apart is D: the largest |ln L_m − ln L_n| of two nodes. off is E: the largest from what one node would know
	// that had seen every sample.
	apart, off float64
}

// compare looks at the targets at one moment.
func (f *fleet) compare(targets []int, now time.Time) (a agreement) {
	for _, t := range targets {
		u := f.union.Estimate(key(t), signal.TTFT, now)
		if u.Weight < founded {
			continue
		}
		low, high := math.Inf(1), math.Inf(-1)
		for _, n := range f.nodes {
			l := math.Log(n.board.Estimate(key(t), signal.TTFT, now).Latency)
			low, high = min(low, l), max(high, l)
		}
		of := math.Log(u.Latency)
		a.apart = max(a.apart, high-low)
		a.off = max(a.off, high-of, of-low)
	}
	return a
}

// reached returns how many nodes have taken in at least half of a step of the first target, by its logarithm.
func (f *fleet) reached(before, factor float64, now time.Time) (n int) {
	half := math.Log(before) + math.Log(factor)/2
	for _, node := range f.nodes {
		if math.Log(node.board.Estimate(key(0), signal.TTFT, now).Latency) >= half {
			n++
		}
	}
	return n
}
