package traffic

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/sluice-gateway/sluice/core/signal"
	"github.com/sluice-gateway/sluice/tests/sim/engine"
)

// Load is what callers do.
type Load struct {
	// Rate is the mean number of requests a second.
	Rate float64
	// Wave, unless zero, is the period over which the rate goes up and down by Swing of itself.
	Wave  time.Duration
	Swing float64
	// Burst, unless zero, is the mean size of the bursts in which requests arrive.
	Burst float64
	// Streams is the share of requests that stream, Long that of requests with a prompt of longer times the work,
	// while the others have less, so that the mean stays.
	Streams, Long float64
	// Callers, unless zero, is how many ask, each again when it has been answered. Rate is then unused.
	Callers int
	// Sessions is how many conversations there are at a time; 0: none.
	Sessions int
	// Leaves is the share of callers that give up after a time of up to 2 s.
	Leaves float64
}

// longer is how many times the work of a short prompt a long one is.
const longer = 8

// prefill is the share of a stream's service that goes by before its first token.
const prefill = 0.2

// Source gives the requests of one run, in order of arrival.
type Source struct {
	load  Load
	seed  uint64
	times *rand.Rand
	kinds *rand.Rand
	at    time.Duration
	burst int // still to come at this moment
	id    uint64
}

// New returns the requests of a seed.
func New(load Load, seed uint64) *Source {
	return &Source{load: load, seed: seed, times: engine.Stream(seed, "arrivals", 0), kinds: engine.Stream(seed, "requests", 0)}
}

// Next returns the next request.
func (s *Source) Next() *Request {
	s.advance()
	return s.request()
}

// Ask returns a request that is made at that time.
func (s *Source) Ask(at time.Duration) *Request {
	s.at = at
	return s.request()
}

func (s *Source) request() *Request {
	s.id++
	r := &Request{ID: s.id, At: s.at, Place: s.kinds.Float64(), Split: s.kinds.Float64(), Class: signal.Total, Size: 1, First: 1, seed: s.seed}
	if s.kinds.Float64() < s.load.Streams {
		r.Class, r.First = signal.TTFT, prefill
	}
	if long := s.kinds.Float64() < s.load.Long; s.load.Long > 0 {
		r.Size = 1 / (1 + s.load.Long*(longer-1))
		if long {
			r.Size *= longer
		}
	}
	if s.load.Sessions > 0 {
		r.Session = 1 + s.kinds.Uint64N(uint64(s.load.Sessions))
	}
	if s.kinds.Float64() < s.load.Leaves {
		r.Patience = time.Duration(s.kinds.Float64() * float64(2*time.Second))
	}
	return r
}

// advance moves to the next arrival: of a Poisson process whose rate varies, by thinning.
func (s *Source) advance() {
	if s.burst > 0 {
		s.burst--
		return
	}
	events := s.load.Rate / max(s.load.Burst, 1)
	peak := events * (1 + s.load.Swing)
	for {
		s.at += time.Duration(s.times.ExpFloat64() / peak * float64(time.Second))
		if s.times.Float64()*peak <= events*s.wave(s.at) {
			break
		}
	}
	if more := s.load.Burst - 1; more > 0 {
		s.burst = int(s.times.ExpFloat64() / math.Log1p(1/more)) // geometric
	}
}

func (s *Source) wave(at time.Duration) float64 {
	if s.load.Wave == 0 {
		return 1
	}
	return 1 + s.load.Swing*math.Sin(2*math.Pi*at.Seconds()/s.load.Wave.Seconds())
}
