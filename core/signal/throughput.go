package signal

import "time"

// maxSpeed bounds the tokens a second of an answer, here and on the wire: one that arrives in a lump has been held up
// on its way, and its tokens were not made in no time.
const maxSpeed = 10_000

// maxTokens bounds the output of one answer.
const maxTokens = 1e7

// flow is decayed sums of answers: their tokens of output, the seconds in which these came, and how many there were.
type flow struct{ tokens, seconds, answers float64 }

func (x *flow) add(y flow, f float64) {
	x.tokens += y.tokens * f
	x.seconds += y.seconds * f
	x.answers += y.answers * f
}

func (x *flow) scale(f float64) { *x = flow{x.tokens * f, x.seconds * f, x.answers * f} }

// without returns the flow less another one, decayed by f; nothing when only rounding would be left.
func (x flow) without(y flow, f float64) flow {
	left := x
	left.add(y, -f)
	if left.answers <= remnant*x.answers || left.tokens < 0 || left.seconds <= 0 {
		return flow{}
	}
	return left
}

// bounded reports whether the flow could be that of answers within their bounds, as f32 rounds it. NaN is not.
func (x flow) bounded() bool {
	if x.answers == 0 {
		return x == flow{}
	}
	return x.seconds > 0 && x.seconds <= x.answers*maxLatency.Seconds()*(1+rounding) &&
		x.tokens >= 0 && x.tokens <= x.seconds*maxSpeed*(1+rounding)
}

// Produced records the output of a complete answer of k, where somebody wants it: the tokens that came in that time.
// Of a stream (TTFT) these are what followed the first one, of any other answer (Total) all of it.
func (b *Board) Produced(k Key, c Class, tokens int64, in time.Duration, now time.Time) {
	if tokens <= 0 || b.wants(k)&WantThroughput == 0 {
		return
	}
	n := float64(min(tokens, maxTokens))
	took := min(max(in.Seconds(), n/maxSpeed), maxLatency.Seconds())
	r := b.row(k)
	r.mu.Lock()
	defer r.mu.Unlock()
	d := r.detailLocked()
	d.class[c].output.add(flow{n, took, 1}, d.weigh(now))
}

// Throughput returns how many tokens a second answers of k come with once they have begun, as this node and its peers
// have measured it where somebody wants it, and how many answers (half-life 60 s) that stands on: streams, or
// for want of them whole answers, whose time includes that to the first token. Weight zero: nothing is known.
func (b *Board) Throughput(k Key, now time.Time) (perSecond, weight float64) {
	var all [classes]flow
	if f := b.fold(k); f != nil && f.detail != nil {
		f.detail.outputs(&all, now)
	}
	if r := b.shard(k).find(k); r != nil {
		r.mu.Lock()
		if r.detail != nil {
			r.detail.outputs(&all, now)
		}
		r.mu.Unlock()
	}
	for _, x := range all {
		if x.answers >= faint && x.seconds > 0 {
			return x.tokens / x.seconds, x.answers
		}
	}
	return 0, 0
}

// outputs adds the detail's flows as of now.
func (d *detail) outputs(to *[classes]flow, now time.Time) {
	f := d.left(now)
	for c := range to {
		to[c].add(d.class[c].output, f)
	}
}
