package signal

import (
	"math"
	"time"
)

// The half-lives of the three rungs, and of the trend. Three seconds notices a target that slows down, ten
// follows it, sixty keeps groups with one request a second informed. How a target takes load changes as seldom
// as what it runs on, and must be remembered while good balance keeps it from showing. They divide trend, so
// that one power serves all.
const (
	fast   = 3 * time.Second
	middle = 10 * time.Second
	slow   = 60 * time.Second
	trend  = 10 * slow

	rungs = 3
	lives = rungs + 1
)

// factors are what remains of a weight at each half-life after some time.
type factors [lives]float64

var undecayed = factors{1, 1, 1, 1}

// decay returns 2^(-d/H) for each half-life H. Time never runs backwards: a negative d counts as zero.
func decay(d time.Duration) factors {
	if d <= 0 {
		return undecayed
	}
	z := power(float64(d) / float64(trend))
	z2 := z * z
	z8 := z2 * z2 * z2 * z2
	y := z8 * z2
	y2 := y * y
	y4 := y2 * y2
	y16 := y4 * y4 * y4 * y4
	return factors{y16 * y4, y4 * y2, y, z}
}

// power returns 2^-x. The time since the last fold or sample is short as a rule, and there the series is three
// times faster than math.Exp2 and as exact.
func power(x float64) float64 {
	u := x * math.Ln2
	if u > 0.03 {
		return math.Exp2(-x)
	}
	return 1 - u*(1-u*(1.0/2-u*(1.0/6-u*(1.0/24-u*(1.0/120-u*(1.0/720))))))
}

// sum is a decayed sum of samples and the decayed count of them.
type sum struct{ s, w float64 }

// mean returns the decayed mean, and zero without a weight that keeps its digits.
func (x sum) mean() float64 {
	if x.w < minWeight {
		return 0
	}
	return x.s / x.w
}

// sums are the same samples at the three rungs. Sums of two nodes that are aged to one moment add up to
// exactly what one node would hold that had seen all samples.
type sums [rungs]sum

func (x *sums) scale(f *factors) {
	for i := range x {
		x[i].s *= f[i]
		x[i].w *= f[i]
	}
}

// add adds other sums, decayed by f.
func (x *sums) add(y *sums, f *factors) {
	for i := range x {
		x[i].s += y[i].s * f[i]
		x[i].w += y[i].w * f[i]
	}
}

// sample adds one sample whose weight has decayed by f.
func (x *sums) sample(v float64, f *factors) {
	for i := range x {
		x[i].s += v * f[i]
		x[i].w += f[i]
	}
}

// Deviation is the standard deviation of the logarithm of one target's latencies, as a rule.
const Deviation = 0.5

// Parameters of the estimate.
const (
	blend   = 4   // samples at the middle rung that weigh as much as all of the slow rung
	enough  = 8   // samples at the fast rung that are believed: a standard error of about a sixth
	present = 0.5 // samples that a rung must hold to say anything of now
)

// PriorSuccesses is how many successes every target begins with, against which its failures are counted.
const PriorSuccesses = 2

// recent returns the mean of the latest samples and their weight: the fast rung where it holds any, else the middle
// one. Zero: there are none.
func (x *sums) recent() (seconds, weight float64) {
	for i := range 2 {
		if x[i].w >= present {
			return x[i].mean(), x[i].w
		}
	}
	return 0, 0
}

// latency returns the estimate in seconds and the weight behind it: the middle rung where it has samples, else the
// slow one; and the fast rung once that is well founded and above it by more than its standard error, so
// that a target which slows down is blamed fast and forgiven slowly, and noise moves nothing.
func (x *sums) latency() (seconds, weight float64) {
	w := x[1].w / (x[1].w + blend)
	seconds = w*x[1].mean() + (1-w)*x[2].mean()
	if now := x[0].mean(); x[0].w >= enough && now*(1-Deviation/math.Sqrt(x[0].w)) > seconds {
		seconds = now
	}
	return seconds, x[1].w + (1-w)*x[2].w
}
