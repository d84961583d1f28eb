package engine

import (
	"hash/fnv"
	"math/rand/v2"
)

// Stream returns the random numbers of one purpose: the same for the same seed, name and number, and
// independent of what any other stream has given, so that all policies meet the same arrivals and services.
func Stream(seed uint64, name string, number uint64) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(name)) // never fails
	return rand.New(rand.NewPCG(seed*0x9e3779b97f4a7c15+number, h.Sum64()+number*0xbf58476d1ce4e5b9))
}
