package measure

import (
	"math"
	"slices"
	"time"
)

// tick is how finely attempts are counted.
const tick = 250 * time.Millisecond

// Log is what happened in one simulation.
type Log struct {
	warm, length time.Duration
	answers      []Answer
	attempts     [][]int // by tick and target
	targets      int

	// Unanswered is how many requests had no answer an hour after the last arrival, Inflight the greatest number
	// that a node still counted in flight of one target after all were answered. Both must be zero.
	Unanswered, Inflight int
	// Turns is how many answers were not the first of their session, Kept how many of these came from the same
	// target as the one before.
	Turns, Kept int
	// Divergence is D of SIGNALS.md §6.7, the greatest difference of the logarithms of two nodes' estimates, 2I + 0.5 s
	// after the last answer; NaN where it was not measured. Behind are the values of E under load, one a second.
	Divergence float64
	Behind     []float64
}

// Answer is what one caller got.
type Answer struct {
	At, Latency time.Duration
	Failed      bool
}

// NewLog returns an empty log of a simulation that counts from warm until length.
func NewLog(warm, length time.Duration, targets int) *Log {
	l := &Log{warm: warm, length: length, targets: targets, Divergence: math.NaN()}
	for range int(length/tick) + 1 {
		l.attempts = append(l.attempts, make([]int, targets))
	}
	return l
}

// Answer notes the answer to a request that arrived at that time.
func (l *Log) Answer(at, latency time.Duration, failed bool) {
	l.answers = append(l.answers, Answer{at, latency, failed})
}

// Lost notes a caller that found no node, or whose node died.
func (l *Log) Lost(at time.Duration) { l.Answer(at, 0, true) }

// Attempt notes an attempt at a target.
func (l *Log) Attempt(at time.Duration, target int) {
	if i := int(at / tick); i < len(l.attempts) {
		l.attempts[i][target]++
	}
}

// Latencies returns, in seconds and sorted, how long the callers waited who came from then to then.
func (l *Log) Latencies(from, to time.Duration) Latencies {
	var out Latencies
	for _, a := range l.answers {
		if a.At >= from && a.At < to && !a.Failed {
			out = append(out, a.Latency.Seconds())
		}
	}
	slices.Sort(out)
	return out
}

// All returns the latencies of everything that counts.
func (l *Log) All() Latencies { return l.Latencies(l.warm, l.length) }

// Failing returns the share of callers that got an error, from then to then.
func (l *Log) Failing(from, to time.Duration) float64 {
	var failed, all float64
	for _, a := range l.answers {
		if a.At < from || a.At >= to {
			continue
		}
		all++
		if a.Failed {
			failed++
		}
	}
	return failed / all
}

// Latencies are sorted latencies in seconds.
type Latencies []float64

// Mean returns the mean, NaN of none.
func (x Latencies) Mean() float64 {
	var sum float64
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// Quantile returns the latency that the share q of the callers did not exceed, NaN of none.
func (x Latencies) Quantile(q float64) float64 {
	if len(x) == 0 {
		return math.NaN()
	}
	return x[min(int(q*float64(len(x))), len(x)-1)]
}

func sorted(x []float64) Latencies {
	y := slices.Clone(x)
	slices.Sort(y)
	return y
}
