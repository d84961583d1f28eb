package fault

import (
	"hash/fnv"
	"math/rand/v2"
	"time"
)

// phase is how long an upstream's weather lasts.
const phase = 2 * time.Second

// Weather decides how one upstream treats its requests. The moods of an upstream follow from the seed and the
// time since the start, the fate of one request from the seed, its id and its hit, and from the mood.
type Weather struct {
	Seed     uint64
	Upstream string
	Start    time.Time
}

// mood is the weather of one phase.
type mood struct {
	bad   float64 // share of requests that fail
	storm string  // the one way in which they do; "": any
}

func (w Weather) mood(now time.Time) mood {
	rng := rand.New(rand.NewPCG(w.Seed^hash(w.Upstream), uint64(now.Sub(w.Start)/phase)))
	switch p := rng.Float64(); {
	case p < 0.10:
		return mood{}
	case p < 0.50:
		return mood{bad: 0.12}
	case p < 0.85:
		return mood{bad: 0.40}
	default:
		return mood{bad: 0.90, storm: pick(rng, false, func(Kind) bool { return true }).Name}
	}
}

// Pick returns how the request of that id is treated when it comes to an upstream for the hit-th time.
func (w Weather) Pick(id string, hit int, stream bool, now time.Time) Kind {
	m := w.mood(now)
	rng := w.Rand(id, hit)
	bad := rng.Float64() < m.bad
	fits := func(k Kind) bool { return k.fits(stream) }
	if bad && m.storm != "" {
		for _, k := range kinds {
			if k.Name == m.storm && fits(k) {
				return k
			}
		}
	}
	return pick(rng, !bad, fits)
}

// Rand returns the generator of the details of one hit.
func (w Weather) Rand(id string, hit int) *rand.Rand {
	return rand.New(rand.NewPCG(w.Seed^hash(id), uint64(hit)))
}

func (k Kind) fits(stream bool) bool { return stream && k.Streams || !stream && k.Wholes }

// pick chooses among the good kinds, or the bad ones, that fit.
func pick(rng *rand.Rand, good bool, fits func(Kind) bool) Kind {
	total := 0
	for _, k := range kinds {
		if k.Good == good && fits(k) {
			total += k.Weight
		}
	}
	at := rng.IntN(total)
	for _, k := range kinds {
		if k.Good == good && fits(k) {
			if at -= k.Weight; at < 0 {
				return k
			}
		}
	}
	panic("fault: weights do not add up")
}

func hash(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s))
	return h.Sum64()
}

// Names lists every kind, the good ones first.
func Names() []string {
	var out []string
	for _, good := range []bool{true, false} {
		for _, k := range kinds {
			if k.Good == good {
				out = append(out, k.Name)
			}
		}
	}
	return out
}

// Named returns the kind of that name.
func Named(name string) Kind {
	for _, k := range kinds {
		if k.Name == name {
			return k
		}
	}
	panic("fault: no kind is called " + name)
}
