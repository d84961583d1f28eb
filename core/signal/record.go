package signal

import "time"

// record is the mergeable state of one key at one moment: it holds nothing that depends on who measured.
type record struct {
	at time.Time // the moment to which all weights are aged
	// attempts and failures are decayed counts at the middle rung.
	attempts, failures float64
	class              [classes]samples
}

// samples are one class of a record. The zero time means never.
type samples struct {
	sums         sums
	okay, failed time.Time // the latest success and the latest failure
}

// age moves the record to a later moment.
func (r *record) age(now time.Time) {
	d := now.Sub(r.at)
	if d <= 0 {
		return
	}
	f := decay(d)
	r.at = now
	r.scale(&f)
}

func (r *record) scale(f *factors) {
	r.attempts *= f[1]
	r.failures *= f[1]
	for c := range r.class {
		r.class[c].sums.scale(f)
	}
}

// gather adds another record, aged to now. What it is added to must be of that moment.
func (r *record) gather(o *record, now time.Time) {
	f := decay(now.Sub(o.at))
	r.attempts += o.attempts * f[1]
	r.failures += o.failures * f[1]
	for c := range r.class {
		x, y := &r.class[c], &o.class[c]
		x.sums.add(&y.sums, &f)
		x.okay = later(x.okay, y.okay)
		x.failed = later(x.failed, y.failed)
	}
}

// arrive ages the record to now and returns what a sample of that moment still weighs: all of it, unless
// samples reach the record out of order.
func (r *record) arrive(now time.Time) factors {
	if r.at.IsZero() {
		r.at = now
	}
	r.age(now)
	return decay(r.at.Sub(now))
}

// success counts an answer.
func (r *record) success(c Class, seconds float64, now time.Time) {
	f := r.arrive(now)
	r.attempts += f[1]
	r.class[c].sums.sample(seconds, &f)
	r.class[c].okay = later(r.class[c].okay, now)
}

// failure counts a failure; bound, unless zero, is a lower bound of the latency that it revealed, in seconds.
func (r *record) failure(c Class, bound float64, now time.Time) {
	f := r.arrive(now)
	r.attempts += f[1]
	r.failures += f[1]
	if bound > 0 {
		r.class[c].sums.sample(bound, &f)
	}
	r.class[c].failed = later(r.class[c].failed, now)
}

// failureRate is the share of attempts that fail, drawn to zero by the prior successes.
func (r *record) failureRate() float64 { return r.failures / (r.attempts + successes) }

// okay returns the latest success of any class, failed the latest failure, latest either.
func (r *record) okay() time.Time   { return later(r.class[TTFT].okay, r.class[Total].okay) }
func (r *record) failed() time.Time { return later(r.class[TTFT].failed, r.class[Total].failed) }
func (r *record) latest() time.Time { return later(r.okay(), r.failed()) }

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// within reports whether t happened at most d before now.
func within(t, now time.Time, d time.Duration) bool { return !t.IsZero() && now.Sub(t) <= d }
