package signal

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"
)

// bound is how far a percentile may be from a sample: half the width of a bucket, and rounding.
var bound = math.Tanh(bucketWidth/2) + 1e-9

// distributions draw latencies in seconds, of every shape that upstreams have and some that they do not.
var distributions = []func(r *rand.Rand) func() float64{
	func(r *rand.Rand) func() float64 {
		middle, sigma := math.Exp(r.Float64()*8-5), r.Float64()*1.5
		return func() float64 { return middle * math.Exp(sigma*r.NormFloat64()) }
	},
	func(r *rand.Rand) func() float64 { // two modes: a cache, or a failover
		fast, slow, share := math.Exp(r.Float64()*4-5), math.Exp(r.Float64()*5), r.Float64()
		return func() float64 {
			if r.Float64() < share {
				return fast * (1 + 0.1*r.Float64())
			}
			return slow * (1 + 0.1*r.Float64())
		}
	},
	func(r *rand.Rand) func() float64 { // a heavy tail
		least, shape := math.Exp(r.Float64()*5-5), 0.5+2*r.Float64()
		return func() float64 { return least * math.Pow(1-r.Float64(), -1/shape) }
	},
	func(r *rand.Rand) func() float64 {
		from, width := r.Float64()*10, r.Float64()*100
		return func() float64 { return from + width*r.Float64() }
	},
	func(r *rand.Rand) func() float64 { // one value, on the edge of a bucket too
		value := minLatency.Seconds() * math.Exp(bucketWidth*float64(r.IntN(buckets)))
		return func() float64 { return value }
	},
	func(r *rand.Rand) func() float64 { return func() float64 { return math.Exp(30*r.Float64() - 15) } }, // beyond all bounds
}

type weighed struct{ value, weight float64 }

// exact returns the least sample at and below which the share q of all weight is.
func exact(samples []weighed, q float64) float64 {
	var total, sum float64
	for _, s := range samples {
		total += s.weight
	}
	for _, s := range samples {
		if sum += s.weight; sum >= q*total {
			return s.value
		}
	}
	return samples[len(samples)-1].value
}

// The exact percentile may be at a jump of the distribution, where a weight that is rounded otherwise picks the sample
// before or behind. So what is bounded is the distance to the percentiles of a hair less and a hair more.
func TestPercentilesAreWithinTheirErrorOfTheExactOnes(t *testing.T) {
	const cases, hair = 3000, 1e-6
	worst := 0.0
	for n := range cases {
		r := seeded(uint64(n))
		draw := distributions[n%len(distributions)](r)
		b := wanting()
		samples := make([]weighed, 1+r.IntN(400))
		end := at(200 * r.Float64())
		for i := range samples {
			now := start.Add(time.Duration(float64(end.Sub(start)) * float64(i+1) / float64(len(samples))))
			value := seconds(time.Duration(draw() * float64(time.Second)))
			b.Succeed(1, TTFT, time.Duration(value*float64(time.Second)), 0, now)
			samples[i] = weighed{value, math.Exp2(-end.Sub(now).Seconds() / slow.Seconds())}
		}
		slices.SortFunc(samples, func(a, b weighed) int {
			if a.value < b.value {
				return -1
			}
			return 1
		})
		got := b.Spread(1, TTFT, end)
		for q, p := range map[float64]float64{0.5: got.P50, 0.9: got.P90, 0.99: got.P99} {
			low, high := exact(samples, q-hair), exact(samples, q+hair)
			if p < low*(1-bound) || p > high*(1+bound) {
				t.Fatalf("case %d, %d samples: p%v is %v, want %v to %v ± 5 %%", n, len(samples), 100*q, p, low, high)
			}
			if want := exact(samples, q); low == high {
				worst = max(worst, math.Abs(p/want-1))
			}
		}
	}
	t.Logf("the worst of %d distributions is off by %.2f %%", cases, 100*worst)
}

func TestEveryLatencyIsInTheBucketWhoseMiddleIsNear(t *testing.T) {
	for v := minLatency.Seconds(); v <= maxLatency.Seconds(); v *= 1.0007 {
		if got := centre(bucketOf(v)); math.Abs(got/v-1) > bound {
			t.Fatalf("%v s is told as %v s, want within 5 %%", v, got)
		}
	}
	if got := bucketOf(maxLatency.Seconds()); got != buckets-1 {
		t.Errorf("an hour is in bucket %d, want the last, %d", got, buckets-1)
	}
}

func TestSpreadIsUnknownWithoutSamplesAndBorrowsNothing(t *testing.T) {
	b := wanting()
	b.Succeed(1, Total, ms(100), 0, start)
	b.Fail(2, TTFT, time.Minute, 0, start)
	for k := range Key(4) {
		if got := b.Spread(k, TTFT, start); got != (Spread{}) {
			t.Errorf("key %d: got %+v, want nothing", k, got)
		}
	}
}

func TestTimeoutsCountInTheSpread(t *testing.T) {
	b := wanting()
	for range 90 {
		b.Succeed(1, TTFT, ms(100), 0, start)
	}
	for range 10 {
		b.Fail(1, TTFT, 30*time.Second, 0, start)
		b.Fail(1, TTFT, ms(5), 0, start) // too short to tell anything of latency
	}
	got := b.Spread(1, TTFT, start)
	if !near(got.P50, 0.1, 0.05) || !near(got.P99, 30, 0.05) || !near(got.Weight, 100, 1e-9) {
		t.Errorf("got %+v, want a p50 of 0.1 s, a p99 of 30 s and 100 samples", got)
	}
}

func TestSpreadShowsASampleAndAFoldAtOnce(t *testing.T) {
	b, peer := wanting(), wanting()
	b.Succeed(1, TTFT, ms(100), 0, start)
	b.Spread(1, TTFT, start)
	b.Succeed(1, TTFT, ms(100), 0, start)
	if got := b.Spread(1, TTFT, start).Weight; !near(got, 2, 1e-9) {
		t.Errorf("after a second sample: got a weight of %v, want 2", got)
	}
	peer.Succeed(1, TTFT, ms(100), 0, start)
	b.SetPeer("a", send(t, peer, start))
	b.Fold(start)
	if got := b.Spread(1, TTFT, start).Weight; !near(got, 3, 1e-9) {
		t.Errorf("after a fold with a third: got a weight of %v, want 3", got)
	}
}

func TestDetailsAreReadWithoutAllocations(t *testing.T) {
	b, peer := wanting(), wanting()
	for i := range 100 {
		answered(seeded(uint64(i)), 1, start, b, peer)
	}
	b.SetPeer("a", send(t, peer, start))
	b.Fold(start)
	now := start
	got := testing.AllocsPerRun(100, func() {
		now = now.Add(time.Second)
		b.Succeed(1, TTFT, ms(100), 0, now)
		b.Produced(1, TTFT, 100, time.Second, now)
		b.Limited(1, Quota{Requests: Limit{0.5, time.Second}}, now)
		b.Spread(1, TTFT, now)
		b.Throughput(1, now)
		b.Quota(1, now)
	})
	if got > 0 {
		t.Errorf("got %v allocations, want none", got)
	}
}

func BenchmarkSucceedWithSpread(b *testing.B) {
	for name, board := range map[string]*Board{"unwanted": NewBoard(), "wanted": wanting()} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for i := range b.N {
				board.Succeed(1, TTFT, ms(100+float64(i%1000)), 0, start.Add(time.Duration(i)*time.Microsecond))
			}
		})
	}
}

func BenchmarkSpread(b *testing.B) {
	board, peer, r := wanting(), wanting(), seeded(1)
	for i := range 1000 {
		board.Succeed(1, TTFT, ms(400*math.Exp(0.5*r.NormFloat64())), 0, at(float64(i)/100))
		peer.Succeed(1, TTFT, ms(400*math.Exp(0.5*r.NormFloat64())), 0, at(float64(i)/100))
	}
	board.SetPeer("a", send(b, peer, at(10)))
	board.Fold(at(10))
	b.Run("cached", func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			board.Spread(1, TTFT, at(10))
		}
	})
	b.Run("computed", func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			board.row(1).spreads[TTFT].at = time.Time{}
			board.Spread(1, TTFT, at(10))
		}
	})
}

func BenchmarkThroughputAndQuota(b *testing.B) {
	board := wanting()
	for i := range 100 {
		answered(seeded(uint64(i)), 1, start, board)
	}
	b.Run("produced", func(b *testing.B) {
		b.ReportAllocs()
		for i := range b.N {
			board.Produced(1, TTFT, 100, time.Second, start.Add(time.Duration(i)*time.Microsecond))
		}
	})
	b.Run("throughput", func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			board.Throughput(1, at(10))
		}
	})
	b.Run("quota", func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			board.Quota(1, at(10))
		}
	})
}

// BenchmarkEncodeDetails tells the size of a shared value of 50 targets, of which some are wanted in detail.
func BenchmarkEncodeDetails(b *testing.B) {
	for _, wanted := range []int{0, 1, 50} {
		b.Run(strconv.Itoa(wanted), func(b *testing.B) {
			board, r, all := NewBoard(), seeded(1), map[Key]Detail{}
			for k := range wanted {
				all[Key(k)] = WantSpread | WantThroughput
			}
			board.Want(all)
			for i := range 50 * 200 {
				k, now := Key(i%50), at(float64(i)/100)
				board.Succeed(k, TTFT, ms(400*math.Exp(0.5*r.NormFloat64())), 0, now)
				board.Produced(k, TTFT, 300, 4*time.Second, now)
			}
			var value []byte
			b.ReportAllocs()
			for range b.N {
				value = board.Encode(value[:0], at(100))
			}
			b.ReportMetric(float64(len(value)), "bytes")
		})
	}
}

// BenchmarkFoldDetails is the fold of 200 peers, each with some 30 buckets of 50 keys.
func BenchmarkFoldDetails(b *testing.B) {
	board, peer, r, all := NewBoard(), NewBoard(), seeded(1), map[Key]Detail{}
	for k := range Key(50) {
		all[k] = WantSpread | WantThroughput
	}
	peer.Want(all)
	for i := range 50 * 200 {
		peer.Succeed(Key(i%50), TTFT, ms(400*math.Exp(0.5*r.NormFloat64())), 0, at(float64(i)/100))
		peer.Produced(Key(i%50), TTFT, 300, 4*time.Second, at(float64(i)/100))
	}
	for range 200 {
		p := send(b, peer, at(100))
		p.boot += uint64(len(board.peers))
		board.SetPeer(strconv.Itoa(len(board.peers)), p)
	}
	b.ReportAllocs()
	for b.Loop() {
		board.Fold(at(101))
	}
}
