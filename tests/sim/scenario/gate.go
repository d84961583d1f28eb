package scenario

import (
	"fmt"
	"math"
)

// Metric names a figure that a gate is about.
type Metric string

// The metrics of gates. Best means the best fixed split.
const (
	MeanRatio     Metric = "mean/best"
	P99Ratio      Metric = "p99/best"
	DegradedRatio Metric = "degraded/best"
	SizeRatio     Metric = "max/min over N"
	Oscillation   Metric = "OI"
	BestShare     Metric = "best's share"
	Leave         Metric = "leaves s"
	Return        Metric = "returns s"
	FailingShare  Metric = "failing's share"
	Errors        Metric = "errors"
	Kept          Metric = "session kept"
	Quiet         Metric = "D quiet"
	Staleness     Metric = "E p95"
	Left          Metric = "left in flight"
)

// Gate is a limit that the product keeps to.
type Gate struct {
	Metric Metric
	Limit  float64
	// Least: the figure must not be below the limit; else not above it.
	Least bool
}

// String says the gate in words.
func (g Gate) String() string {
	if g.Least {
		return fmt.Sprintf("%s ≥ %g", g.Metric, g.Limit)
	}
	return fmt.Sprintf("%s ≤ %g", g.Metric, g.Limit)
}

// Passes reports whether the figure keeps to the limit; NaN, which is no figure, does.
func (g Gate) Passes(x float64) bool {
	if math.IsNaN(x) {
		return true
	}
	if g.Least {
		return x >= g.Limit
	}
	return x <= g.Limit
}

// Worse reports whether x is further off than y.
func (g Gate) Worse(x, y float64) bool {
	if g.Least {
		return x < y
	}
	return x > y
}

// AllGates returns the scenario's gates and what always holds: once everything is answered nothing is in flight.
func (s *Scenario) AllGates() []Gate {
	return append(s.Gates[:len(s.Gates):len(s.Gates)], Gate{Metric: Left})
}

func atMost(m Metric, limit float64) Gate  { return Gate{Metric: m, Limit: limit} }
func atLeast(m Metric, limit float64) Gate { return Gate{Metric: m, Limit: limit, Least: true} }
