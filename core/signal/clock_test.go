package signal

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// start is the moment at which every test begins. It has no monotonic reading, and needs none.
var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func at(seconds float64) time.Time {
	return start.Add(time.Duration(seconds * float64(time.Second)))
}

func ms(n float64) time.Duration { return time.Duration(n * float64(time.Millisecond)) }

// send encodes what b publishes at now and decodes it as received then.
func send(t testing.TB, b *Board, now time.Time) *Peer {
	t.Helper()
	p, err := Decode(b.Encode(nil, now), now)
	if err != nil {
		t.Fatalf("Decode of what Encode wrote: %v", err)
	}
	if p.Rejected != 0 {
		t.Fatalf("Decode rejected %d entries of what Encode wrote", p.Rejected)
	}
	return p
}

// near reports whether two numbers differ by at most tolerance, relative to the greater.
func near(a, b, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance*max(math.Abs(a), math.Abs(b))
}

// sameEstimate reports whether two estimates agree in all that is measured.
func sameEstimate(a, b Estimate, tolerance float64) bool {
	for i := range a.Rungs {
		if !near(a.Rungs[i], b.Rungs[i], tolerance) {
			return false
		}
	}
	return near(a.Latency, b.Latency, tolerance) && near(a.Weight, b.Weight, tolerance) &&
		near(a.Failures, b.Failures, tolerance) && near(a.Attempts, b.Attempts, tolerance) && near(a.Load, b.Load, tolerance) &&
		a.Measured == b.Measured && a.Tried == b.Tried && a.Failing == b.Failing &&
		(a.SinceSample-b.SinceSample).Abs() <= 2*time.Millisecond
}

func seeded(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 7)) }
