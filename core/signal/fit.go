package signal

import "math"

// fit is a decayed linear regression of ln(latency) on ln(load + 1): how a target takes load. Like all
// sums it merges exactly. Its slope is the elasticity d ln latency / d ln load: about zero for a target that
// scales with its load, towards one for a target that queues.
type fit struct{ w, x, y, xx, xy, yy float64 }

// sample adds one answer whose weight has decayed by f.
func (t *fit) sample(load int, seconds, f float64) {
	x, y := math.Log1p(float64(load)), math.Log(seconds)
	t.add(&fit{1, x, y, x * x, x * y, y * y}, f)
}

func (t *fit) scale(f float64) {
	*t = fit{t.w * f, t.x * f, t.y * f, t.xx * f, t.xy * f, t.yy * f}
}

// add adds another fit, decayed by f.
func (t *fit) add(o *fit, f float64) {
	t.w += o.w * f
	t.x += o.x * f
	t.y += o.y * f
	t.xx += o.xx * f
	t.xy += o.xy * f
	t.yy += o.yy * f
}

// Limits below which a regression says nothing.
const (
	fitSamples = 60   // decayed samples: of fewer the standard error is not worth its name
	fitSpread  = 1e-4 // variance of ln(load + 1); f32 on the wire rounds at a tenth of that
)

// slope returns the elasticity and its standard error, which is infinite while too little is known.
func (t *fit) slope() (slope, deviation float64) {
	if t.w < fitSamples {
		return 0, math.Inf(1)
	}
	mx, my := t.x/t.w, t.y/t.w
	vx, vy := t.xx/t.w-mx*mx, max(t.yy/t.w-my*my, 0)
	if vx < fitSpread {
		return 0, math.Inf(1)
	}
	slope = (t.xy/t.w - mx*my) / vx
	rest := max(vy-slope*slope*vx, 0)
	// With weights that halve steadily the samples count as twice their decayed number.
	return slope, math.Sqrt(rest / (2 * t.w * vx))
}

// Bounds of what a regression's means may be, here and on the wire.
var (
	maxLoad       = math.Log1p(maxInflight)
	maxLogLatency = max(math.Log(maxLatency.Seconds()), -math.Log(minLatency.Seconds()))
)

// bounded reports whether the fit could be that of samples within their bounds.
func (t *fit) bounded() bool {
	const near = 1 + rounding
	if t.w == 0 {
		return *t == fit{}
	}
	within := func(v, limit float64) bool { return math.Abs(v) <= t.w*limit*near } // false for NaN
	return t.x >= 0 && t.xx >= 0 && t.yy >= 0 && within(t.x, maxLoad) && within(t.y, maxLogLatency) &&
		within(t.xx, maxLoad*maxLoad) && within(t.xy, maxLoad*maxLogLatency) && within(t.yy, maxLogLatency*maxLogLatency)
}
