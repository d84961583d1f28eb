package signal

// Owns reports whether node holds the probe slot of k: of all live nodes it has the greatest hash with key
// and slot (rendezvous hashing), so that nodes which see the same live set agree without speaking. slot is
// the wall clock divided by the slot's length. A node that is alone, or sees nobody, owns every slot; one
// that does not see itself owns none.
func Owns(node string, live []string, k Key, slot int64) bool {
	if len(live) == 0 {
		return true
	}
	own, seen := bid(node, k, slot), false
	for _, other := range live {
		if other == node {
			seen = true
			continue
		}
		if b := bid(other, k, slot); b > own || (b == own && other > node) {
			return false
		}
	}
	return seen
}

// bid hashes with FNV-1a, whose low bits alone would be weak, and a finalizer that spreads them.
func bid(node string, k Key, slot int64) uint64 {
	h := uint64(0xcbf29ce484222325)
	for i := range len(node) {
		h = (h ^ uint64(node[i])) * 0x100000001b3
	}
	return Mix(Mix(h^uint64(k)) ^ uint64(slot))
}

// Mix spreads what two words differ in over all bits, and is a bijection. It is the finalizer of SplitMix64
// (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
func Mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
