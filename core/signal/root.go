package signal

import (
	"cmp"
	"slices"
	"time"
)

// root is what an aggregator has folded of all members, this node among them.
type root struct {
	all *Peer
	own *Peer // this node's value as it is contained in all; nil: it is not
}

// sameCooldown is how far two readings of one cooldown may lie apart: what both had to travel.
const sameCooldown = time.Second

// EncodeFold appends what all peers say together as of the last Fold, aged to now, in the format of format.go:
// the root that an aggregator writes for its members. A root of more than 4,096 keys leaves out those idle longest.
func (b *Board) EncodeFold(dst []byte, now time.Time) []byte {
	var entries []entry
	if t := b.folded.Load(); t != nil {
		for k, f := range t.folds {
			e := entry{key: k, inflight: f.inflight, cool: f.cool, record: f.record, parts: f.detail.parts(now), quota: f.quota.told(now)}
			e.record.age(now)
			if e.told(now) {
				entries = append(entries, e)
			}
		}
	}
	entries = bounded(entries, maxRoot, now)
	b.wire.mu.Lock()
	defer b.wire.mu.Unlock()
	b.wire.sequence++
	h := header{byte(b.speaks.Load()), ofAll, b.boot, b.wire.sequence}
	return h.append(dst, entries, now)
}

// told reports whether there is anything to tell of the entry.
func (e *entry) told(now time.Time) bool {
	return e.inflight > 0 || e.cool.After(now) || e.record.latest().within(memory) || e.quota.known(now)
}

// bounded leaves out the keys that have been idle longest and sorts the rest.
func bounded(entries []entry, limit int, now time.Time) []entry {
	if len(entries) > limit {
		slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.idle(now), b.idle(now)) })
		entries = entries[:limit]
	}
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.key, b.key) })
	return entries
}

// SetRoot takes in what an aggregator has folded, instead of the members one by one. own is this node's own value
// as it is contained in all, decoded as of the moment when it was encoded, and is subtracted again; nil:
// it is not contained. It shows after the next Fold. Reset goes back to the members.
func (b *Board) SetRoot(all, own *Peer) {
	b.fleet.Lock()
	defer b.fleet.Unlock()
	clear(b.peers)
	clear(b.names)
	b.root = root{all, own}
}

// takeRoot adds the root without this node's own part.
func (t *table) takeRoot(r root, now time.Time) {
	if r.all == nil {
		return
	}
	t.take(&member{peer: r.all}, now)
	if r.own == nil {
		return
	}
	for i := range r.own.entries {
		e := &r.own.entries[i]
		if f := t.folds[e.key]; f != nil {
			f.subtract(e, r.own.received, now)
		}
	}
}

// subtract takes this node's own part out. The times of the latest samples stay, and what the upstream said of its
// limits: they are known here anyway.
func (f *fold) subtract(e *entry, written, now time.Time) {
	f.record.subtract(&e.record, now)
	if f.detail != nil && e.parts != nil {
		f.detail.subtract(e.parts, decay(now.Sub(written))[rungs-1])
	}
	f.inflight = max(f.inflight-e.inflight, 0)
	if !e.cool.IsZero() && f.cool.Sub(e.cool).Abs() < sameCooldown {
		f.cool = time.Time{}
	}
}

// subtract removes another record, aged to now. Rounding never leaves less than nothing.
func (r *record) subtract(o *record, now time.Time) {
	f := decay(max(now.Sub(o.at), 0))
	r.attempts = max(r.attempts-o.attempts*f[1], 0)
	r.failures = min(max(r.failures-o.failures*f[1], 0), r.attempts)
	r.loads = max(r.loads-o.loads*f[1], 0)
	for c := range r.class {
		x, y := &r.class[c], &o.class[c]
		for i := range x.sums {
			x.sums[i] = x.sums[i].without(y.sums[i], f[i])
		}
		x.fit = x.fit.without(&y.fit, f[rungs])
	}
}

// remnant is the share of a weight below which what is left after a subtraction is taken for rounding and for
// the time that the values travelled.
const remnant = 0.02

// without returns the sum less another one, decayed by f; nothing when only rounding would be left.
func (x sum) without(y sum, f float64) sum {
	left := sum{x.s - y.s*f, x.w - y.w*f}
	if left.w <= remnant*x.w || left.s <= 0 {
		return sum{}
	}
	return left
}

func (t fit) without(o *fit, f float64) fit {
	w := t.w
	t.add(o, -f)
	if t.w <= remnant*w || t.xx < 0 || t.yy < 0 || t.x < 0 {
		return fit{}
	}
	return t
}
