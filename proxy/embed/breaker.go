package embed

import (
	"crypto/sha256"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sony/gobreaker/v2"
)

const (
	// failuresInARow is after how many an endpoint is left alone: more than a hiccup, less than a second's traffic.
	failuresInARow = 5
	// aloneFor is how long it is left alone before a call finds out whether it is back.
	aloneFor = 10 * time.Second
)

// breakers hold how each endpoint fares, across changes of configuration that do not concern it.
type breakers struct {
	observer Observer
	mu       sync.RWMutex
	all      map[[sha256.Size]byte]*breaker
}

// breaker decides whether an endpoint is called.
type breaker struct {
	steps *gobreaker.TwoStepCircuitBreaker[struct{}]
	// left is when the endpoint was left alone last.
	left atomic.Pointer[time.Time]
}

// rest is for how long the endpoint is left alone, a second at the least.
func (b *breaker) rest() time.Duration {
	rest := time.Second
	if left := b.left.Load(); left != nil {
		rest = max(rest, time.Until(left.Add(aloneFor)))
	}
	return rest
}

func newBreakers(o Observer) *breakers {
	return &breakers{observer: o, all: map[[sha256.Size]byte]*breaker{}}
}

func (b *breakers) of(e *Endpoint) *breaker {
	b.mu.RLock()
	have := b.all[e.route]
	b.mu.RUnlock()
	if have != nil {
		return have
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if have = b.all[e.route]; have == nil {
		have = b.make(e.settings.Upstream.ID)
		b.all[e.route] = have
	}
	return have
}

// alone reports whether an endpoint is left alone.
func (b *breakers) alone(e *Endpoint) bool {
	b.mu.RLock()
	have := b.all[e.route]
	b.mu.RUnlock()
	return have != nil && have.steps.State() != gobreaker.StateClosed
}

func (b *breakers) make(upstream string) *breaker {
	made := &breaker{}
	made.steps = gobreaker.NewTwoStepCircuitBreaker[struct{}](gobreaker.Settings{
		MaxRequests:  1,
		Timeout:      aloneFor,
		ReadyToTrip:  func(c gobreaker.Counts) bool { return c.ConsecutiveFailures >= failuresInARow },
		IsSuccessful: answers,
		IsExcluded:   func(err error) bool { return CauseOf(err) == Canceled },
		OnStateChange: func(_ string, from, to gobreaker.State) {
			if to == gobreaker.StateOpen {
				now := time.Now()
				made.left.Store(&now)
			}
			if from == gobreaker.StateClosed || to == gobreaker.StateClosed {
				b.observer.EndpointLeft(upstream, to != gobreaker.StateClosed)
			}
		},
	})
	return made
}

// answers reports whether the outcome shows an endpoint at work: to refuse one text is to be there for others.
func answers(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return err == nil || (ok && e.refused())
}

// keep forgets the endpoints that are not among these.
func (b *breakers) keep(used map[[sha256.Size]byte]bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for route := range b.all {
		if !used[route] {
			delete(b.all, route)
		}
	}
}

// allow asks whether a call may be made. done is to be called with its outcome; nil: no call. trial: it is to find
// out whether the endpoint is back, and no request should wait for it.
func (b *breaker) allow() (done func(error), trial bool) {
	trial = b.steps.State() != gobreaker.StateClosed
	done, err := b.steps.Allow()
	if err != nil {
		return nil, false
	}
	return done, trial
}
