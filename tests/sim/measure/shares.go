package measure

import (
	"math"
	"time"
)

// Never is a time to leave or to return that did not come before the end.
const Never time.Duration = math.MaxInt64

// Share returns a target's share of the attempts from then to then, NaN of none.
func (l *Log) Share(target int, from, to time.Duration) float64 {
	var own, all int
	for s := int(from / tick); s < min(int(to/tick), len(l.attempts)); s++ {
		own += l.attempts[s][target]
		all += sum(l.attempts[s])
	}
	return float64(own) / float64(all)
}

func sum(counts []int) (all int) {
	for _, n := range counts {
		all += n
	}
	return all
}

// calm is the window over which shares are compared for oscillation.
const calm = 5 * time.Second

// Oscillation is the standard deviation of the shares of 5 s without what drawing that many requests at random
// explains, of the target where it is greatest, from then to then.
func (l *Log) Oscillation(from, to time.Duration) float64 {
	var worst float64
	for t := range l.targets {
		worst = max(worst, l.excess(t, from, to))
	}
	return math.Sqrt(worst)
}

// excess is the variance of a target's shares above that of drawing.
func (l *Log) excess(target int, from, to time.Duration) float64 {
	mean := l.Share(target, from, to)
	var variance, noise, windows float64
	for at := from; at+calm <= to; at += calm {
		var all int
		for s := int(at / tick); s < int((at+calm)/tick); s++ {
			all += sum(l.attempts[s])
		}
		if all == 0 {
			continue
		}
		d := l.Share(target, at, at+calm) - mean
		variance += d * d
		noise += mean * (1 - mean) / float64(all)
		windows++
	}
	return max(variance/(windows-1)-noise/windows, 0)
}

// swift is the window in which a target must be seen to be left or taken up.
const swift = 3 * time.Second

// Leaves returns how long after the step the target's share fell under a quarter of what it was in the minute
// before, and Never if it did not before until.
func (l *Log) Leaves(target int, step, until time.Duration) time.Duration {
	steady := l.Share(target, step-time.Minute, step)
	return l.first(target, step, until, func(share float64) bool { return share < steady/4 })
}

// Returns returns how long after healed its share was over three quarters of what it was in the minute before the
// step, and Never if it was not before until.
func (l *Log) Returns(target int, step, healed, until time.Duration) time.Duration {
	steady := l.Share(target, step-time.Minute, step)
	return l.first(target, healed, until, func(share float64) bool { return share > steady*3/4 })
}

func (l *Log) first(target int, from, until time.Duration, is func(float64) bool) time.Duration {
	for at := from; at+swift <= until; at += tick {
		if share := l.Share(target, at, at+swift); is(share) {
			return at + swift - from
		}
	}
	return Never
}

// Shares returns the share of each target in every window of 3 s, for plots.
func (l *Log) Shares() (at []float64, shares [][]float64) {
	shares = make([][]float64, l.targets)
	for from := time.Duration(0); from+swift <= l.length; from += swift {
		at = append(at, (from + swift/2).Seconds())
		for t := range shares {
			shares[t] = append(shares[t], l.Share(t, from, from+swift))
		}
	}
	return at, shares
}
