package rank

import "math"

// stickBand is how much worse than the best the previous target of a session may be and still keep it: about what
// a prompt cache is worth.
const stickBand = 1.25

// stickByScore moves the previous target of the session to the front, if it serves and its score is within the band.
// Where the order is strict it goes by the expected time: that little is known of a target is no reason to leave it.
func (o *ordering) stickByScore(t *tier, strict bool) {
	if o.view.Previous == 0 {
		return
	}
	best, own, at := math.Inf(1), math.Inf(1), -1
	for i := range o.leaves {
		l := &o.leaves[i]
		if !l.serves() {
			continue
		}
		score := l.score
		if strict {
			score = l.expected
		}
		best = min(best, score)
		if l.target.Signal == o.view.Previous && score < own {
			own, at = score, l.unit
		}
	}
	if at >= 0 && own <= stickBand*best {
		o.keep(t, at)
	}
}

// stickByLoad does so by the load, where one request more than the least is within the band too: it may be the
// session's own.
func (o *ordering) stickByLoad(t *tier, at int, least float64) {
	if at < 0 {
		return
	}
	places := o.places[t.base:]
	for i := range places {
		if int(places[i].unit) != at {
			continue
		}
		if places[i].key <= stickBand*least+1/o.units[t.base+at].share() {
			o.keep(t, at)
		}
		return
	}
}

// keep moves a unit to the front of its tier for the session's sake.
func (o *ordering) keep(t *tier, unit int) {
	for i, p := range o.places[t.base:] {
		if int(p.unit) == unit {
			o.front(t, i)
			o.tellSticks(&o.units[t.base+unit])
			return
		}
	}
}

// front moves the tier's i-th place to its front.
func (o *ordering) front(t *tier, i int) {
	places := o.places[t.base:]
	x := places[i]
	copy(places[1:i+1], places[:i])
	places[0] = x
}
