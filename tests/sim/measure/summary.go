package measure

import (
	"math"
	"time"
)

// Marks are the moments of a scenario that a summary is about.
type Marks struct {
	// Slowed is the target that a step slows down, from 0, or -1; Failing likewise the one that fails from Slow on.
	Slowed, Failing int
	Slow, Healed    time.Duration
}

// Summary is one simulation in numbers. Latencies are in seconds; what a scenario does not have is NaN.
type Summary struct {
	Mean, P50, P99 float64
	// Degraded is the mean from the step until it is undone.
	Degraded float64
	// Oscillation is OI of SIGNALS.md §7.
	Oscillation float64
	// Best is the share of the first target.
	Best float64
	// Leave and Return are seconds, infinite when it never came to that.
	Leave, Return float64
	// Failing is the failing target's share from 10 s after it began to fail.
	Failing float64
	// Errors is the share of callers that got an error.
	Errors float64
	// Kept is the share of a session's answers that came from the same target as the one before.
	Kept float64
	// Divergence is D when all is quiet, Staleness the 95th percentile of E under load.
	Divergence, Staleness float64
	// Inflight and Unanswered must be zero, see Log.
	Inflight, Unanswered float64
	// At and Shares are the targets' shares over time, CDF the latencies at every half percent.
	At     []float64
	Shares [][]float64
	CDF    []float64
}

// settled is how long after it began to fail a target's share must have vanished.
const settled = 10 * time.Second

// Summary computes the numbers.
func (l *Log) Summary(m Marks) Summary {
	all := l.All()
	s := Summary{
		Mean: all.Mean(), P50: all.Quantile(0.50), P99: all.Quantile(0.99), Best: l.Share(0, l.warm, l.length),
		Errors: l.Failing(l.warm, l.length), Divergence: l.Divergence, Staleness: sorted(l.Behind).Quantile(0.95),
		Inflight: float64(l.Inflight), Unanswered: float64(l.Unanswered),
		Kept: float64(l.Kept) / float64(l.Turns), Degraded: math.NaN(), Leave: math.NaN(), Return: math.NaN(), Failing: math.NaN(),
	}
	calmTo := l.length
	if m.Slow > 0 {
		calmTo = m.Slow
	}
	s.Oscillation = l.Oscillation(l.warm, calmTo)
	if m.Healed > 0 {
		s.Degraded = l.Latencies(m.Slow, m.Healed).Mean()
	}
	if m.Slowed >= 0 {
		s.Leave = seconds(l.Leaves(m.Slowed, m.Slow, m.Healed))
		s.Return = seconds(l.Returns(m.Slowed, m.Slow, m.Healed, l.length))
	}
	if m.Failing >= 0 {
		until := l.length
		if m.Healed > 0 {
			until = m.Healed
		}
		s.Failing = l.Share(m.Failing, m.Slow+settled, until)
	}
	s.At, s.Shares = l.Shares()
	for q := 0.0; q < 1; q += 0.005 {
		s.CDF = append(s.CDF, all.Quantile(q))
	}
	return s
}

func seconds(d time.Duration) float64 {
	if d == Never {
		return math.Inf(1)
	}
	return d.Seconds()
}

// Spread is a number over several seeds.
type Spread struct{ Mean, SD float64 }

// Over summarises the numbers that get picks from the summaries.
func Over(of []Summary, get func(*Summary) float64) Spread {
	var sum, squares float64
	for i := range of {
		sum += get(&of[i])
	}
	mean := sum / float64(len(of))
	for i := range of {
		d := get(&of[i]) - mean
		squares += d * d
	}
	return Spread{mean, math.Sqrt(squares / float64(max(len(of)-1, 1)))}
}
