package upstream

import (
	"slices"
	"time"
)

// State is how an upstream behaves from one moment on.
type State struct {
	// Base is the mean time of service, in seconds.
	Base float64
	// Servers is how many requests are served at once, the others queue in order of arrival; 0: any number.
	Servers int
	// Fails is the share of requests that end in an error after a fault of FailAfter.
	Fails     float64
	FailAfter time.Duration
	// Limited is the share of requests that get a 429 at once, with RetryAfter.
	Limited    float64
	RetryAfter time.Duration
}

// Step is a change of state.
type Step struct {
	At time.Duration
	State
}

// Spec is one upstream over the whole time.
type Spec struct {
	Name  string
	Start State
	Steps []Step // in order of time
}

// At returns the state at that time.
func (s *Spec) At(at time.Duration) State {
	state := s.Start
	for i := range s.Steps {
		if s.Steps[i].At <= at {
			state = s.Steps[i].State
		}
	}
	return state
}

// Changes returns, in order, the times at which any of the upstreams changes, and zero before them.
func Changes(specs []Spec) []time.Duration {
	all := []time.Duration{0}
	for i := range specs {
		for _, s := range specs[i].Steps {
			all = append(all, s.At)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
