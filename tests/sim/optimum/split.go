package optimum

import (
	"math"

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
	for t := range costs {
		for step := range grid + 1 {
			costs[t] = append(costs[t], cost(s, t, float64(step)/grid, coming))
		}
	}
	return shares(costs)
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
