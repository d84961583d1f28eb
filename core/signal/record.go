package signal

import "time"

// record is the mergeable state of one key at one moment: it holds nothing that depends on who measured.
type record struct {
	at time.Time // the moment to which everything here is aged
	// attempts and failures are decayed counts at the middle rung, and loads the decayed sum of the load
	// that each attempt met.
	attempts, failures, loads float64
	class                     [classes]samples
}

// samples are one class of a record.
type samples struct {
	sums         sums
	fit          fit
	okay, failed age // of the latest success and the latest failure
}

// age is how long ago something was, plus one, so that the zero age means never.
type age time.Duration

func aged(d time.Duration) age { return age(max(d, 0)) + 1 }

// since returns how long ago it was, or Never.
func (a age) since() time.Duration {
	if a == 0 {
		return Never
	}
	return time.Duration(a - 1)
}

func (a age) plus(d time.Duration) age {
	if a == 0 {
		return 0
	}
	return a + age(d)
}

// latest returns the less long ago.
func latest(a, b age) age {
	if a == 0 || (b != 0 && b < a) {
		return b
	}
	return a
}

// age moves the record to a later moment.
func (r *record) age(now time.Time) {
	d := now.Sub(r.at)
	if d <= 0 {
		return
	}
	if r.at.IsZero() {
		d = 0
	}
	f := decay(d)
	r.at = now
	r.scale(&f)
	for c := range r.class {
		x := &r.class[c]
		x.okay, x.failed = x.okay.plus(d), x.failed.plus(d)
	}
}

func (r *record) scale(f *factors) {
	r.attempts *= f[1]
	r.failures *= f[1]
	r.loads *= f[1]
	for c := range r.class {
		r.class[c].sums.scale(f)
		r.class[c].fit.scale(f[rungs])
	}
}

// gather adds another record, aged to now. What it is added to must be of that moment.
func (r *record) gather(o *record, now time.Time) {
	d := max(now.Sub(o.at), 0)
	f := decay(d)
	r.attempts += o.attempts * f[1]
	r.failures += o.failures * f[1]
	r.loads += o.loads * f[1]
	for c := range r.class {
		x, y := &r.class[c], &o.class[c]
		x.sums.add(&y.sums, &f)
		x.fit.add(&y.fit, f[rungs])
		x.okay = latest(x.okay, y.okay.plus(d))
		x.failed = latest(x.failed, y.failed.plus(d))
	}
}

// arrive ages the record to now and returns how long before its moment now is: zero, unless samples reach
// the record out of order.
func (r *record) arrive(now time.Time) (late time.Duration) {
	r.age(now)
	return r.at.Sub(now)
}

// success counts an answer to a request that met that load.
func (r *record) success(c Class, seconds float64, load int, now time.Time) {
	late := r.arrive(now)
	f := decay(late)
	r.attempts += f[1]
	r.loads += f[1] * float64(load)
	r.class[c].sums.sample(seconds, &f)
	r.class[c].fit.sample(load, seconds, f[rungs])
	r.class[c].okay = latest(r.class[c].okay, aged(late))
}

// failure counts a failure; bound, unless zero, is a lower bound of the latency that it revealed, in seconds.
func (r *record) failure(c Class, bound float64, load int, now time.Time) {
	late := r.arrive(now)
	f := decay(late)
	r.attempts += f[1]
	r.loads += f[1] * float64(load)
	r.failures += f[1]
	if bound > 0 {
		r.class[c].sums.sample(bound, &f)
	}
	r.class[c].failed = latest(r.class[c].failed, aged(late))
}

// failureRate is the share of attempts that fail, drawn to zero by the prior successes.
func (r *record) failureRate() float64 { return r.failures / (r.attempts + PriorSuccesses) }

// load is the mean load that recent attempts met.
func (r *record) load() float64 {
	if r.attempts < minWeight {
		return 0
	}
	return r.loads / r.attempts
}

// okay returns the latest success of any class, failed the latest failure, latest either.
func (r *record) okay() age   { return latest(r.class[TTFT].okay, r.class[Total].okay) }
func (r *record) failed() age { return latest(r.class[TTFT].failed, r.class[Total].failed) }
func (r *record) latest() age { return latest(r.okay(), r.failed()) }

// within reports whether it happened at most d ago.
func (a age) within(d time.Duration) bool { return a.since() <= d }

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
