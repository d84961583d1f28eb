package rank

import (
	"math"

	"github.com/sluice-gateway/sluice/core/signal"
)

// Hash returns what stands for s in View.Hash and View.Session: never zero, and the same on every node.
func Hash(s string) uint64 { return max(hash(0, s), 1) }

// hash hashes s under a seed, eight bytes at a time: each step is a bijection of the state, the last one mixes it.
func hash(seed uint64, s string) uint64 {
	h := seed ^ uint64(len(s))*golden
	for ; len(s) >= 8; s = s[8:] {
		h = step(h, uint64(s[0])|uint64(s[1])<<8|uint64(s[2])<<16|uint64(s[3])<<24|
			uint64(s[4])<<32|uint64(s[5])<<40|uint64(s[6])<<48|uint64(s[7])<<56)
	}
	var tail uint64
	for i := range len(s) {
		tail |= uint64(s[i]) << (8 * i)
	}
	return signal.Mix(step(h, tail))
}

// golden is 2^64 over the golden ratio, an odd number whose multiples lie far from one another.
const golden = 0x9e3779b97f4a7c15

func step(h, word uint64) uint64 {
	h = (h ^ word) * golden
	return h ^ h>>32
}

// exponential turns random bits into a standard exponential variate, above 0 and finite.
func exponential(bits uint64) float64 {
	const scale = 1.0 / (1 << 52)
	return -math.Log((float64(bits>>12) + 0.5) * scale)
}

// consistentHash is weighted rendezvous hashing: the targets stand by -weight/ln(h), the greatest first, where h
// in (0, 1) hashes the request's key together with the member's id (Schindler, Schomaker: Weighted distributed hash
// tables, 2005). Each has a share of the keys by its weight; one that goes leaves its keys to those that stay,
// which keep theirs; and each key has its own order of fallbacks.
func (o *ordering) consistentHash(t *tier) {
	places := o.places[t.base:]
	if o.view.Hash == 0 {
		if !t.spare {
			o.takeTurns(t, places)
		}
		return
	}
	o.rendezvous(t, places, o.view.Hash)
	o.tellKeys(t, places, func(c *Candidate, key float64) { c.HashScore = o.number(1 / key) })
	o.tellShares(t, byWeight)
}

// rendezvous sorts the places by a weighted draw that depends on nothing but the seed and the members' ids.
func (o *ordering) rendezvous(t *tier, places []place, seed uint64) {
	units := o.units[t.base:]
	for i := range places {
		u := &units[places[i].unit]
		places[i].key = exponential(hash(seed, u.name())) / u.share()
	}
	sortPlaces(places)
}
