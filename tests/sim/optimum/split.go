package optimum

import (
	"math"
	"slices"
	"sync"

	"github.com/sluice-gateway/sluice/tests/sim/scenario"
)

// Name is what reports call the best fixed split.
const Name = "best fixed split"

// grid is how many steps a share has.
const grid = 50

// Split returns the shares with the least mean latency over all of the scenario.
func Split(s *scenario.Scenario, seed uint64) []float64 {
	if s.Split != nil {
		return s.Split
	}
	coming := callers(s, seed)
	costs := make([][]float64, s.Size())
	var searches sync.WaitGroup
	for t := range costs {
		searches.Go(func() {
			costs[t] = curve(s, t, coming)
		})
	}
	searches.Wait()
	return shares(costs)
}

// hopeless is how many times the time of the slowest target the callers of a share must wait on average for it to be
// none of the best split.
const hopeless = 3

// curve returns the cost of a target at each share, infinite from where on its queue is hopeless.
func curve(s *scenario.Scenario, target int, coming []caller) []float64 {
	var slowest float64
	for i := range s.Upstreams {
		slowest = max(slowest, s.Upstreams[i].Start.Base)
	}
	costs := slices.Repeat([]float64{math.Inf(1)}, grid+1)
	for step := range costs {
		share := float64(step) / grid
		costs[step] = cost(s, target, share, coming)
		if costs[step] > hopeless*slowest*share*float64(len(coming)) {
			costs[step] = math.Inf(1)
			break
		}
	}
	return costs
}

// shares returns the shares, one a target, that add up to 1 with the least sum of costs.
func shares(costs [][]float64) []float64 {
	best := make([]float64, grid+1) // by steps that the targets so far have
	for step := range best[1:] {
		best[1+step] = math.Inf(1)
	}
	var choices [][]int
	for _, cost := range costs {
		next, choice := make([]float64, grid+1), make([]int, grid+1)
		for sum := range next {
			next[sum] = math.Inf(1)
			for own := range sum + 1 {
				if c := best[sum-own] + cost[own]; c < next[sum] {
					next[sum], choice[sum] = c, own
				}
			}
		}
		best, choices = next, append(choices, choice)
	}
	out, left := make([]float64, len(costs)), grid
	for t := len(costs) - 1; t >= 0; t-- {
		own := choices[t][left]
		out[t] = float64(own) / grid
		left -= own
	}
	return out
}
