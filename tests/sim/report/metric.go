package report

import (
	"fmt"
	"math"

	"github.com/sluice-gateway/sluice/tests/sim/measure"
	"github.com/sluice-gateway/sluice/tests/sim/scenario"
)

// metric is one figure of a row, NaN where the row has none.
type metric struct {
	name   scenario.Metric
	format string
	value  func(*Results, *Row) float64
}

func metrics() []metric {
	return []metric{
		{scenario.MeanRatio, "%.3f", func(r *Results, row *Row) float64 { return row.ratio(r.Best, mean) }},
		{scenario.P99Ratio, "%.3f", func(r *Results, row *Row) float64 { return row.ratio(r.Best, p99) }},
		{scenario.DegradedRatio, "%.3f", func(r *Results, row *Row) float64 { return row.ratio(r.Best, degraded) }},
		{scenario.SizeRatio, "%.3f", (*Results).sizeRatio},
		seeds("p50 s", "%.2f", func(s *measure.Summary) float64 { return s.P50 }),
		seeds("p99 s", "%.2f", p99),
		seeds("degraded s", "%.2f", degraded),
		seeds(scenario.Oscillation, "%.3f", func(s *measure.Summary) float64 { return s.Oscillation }),
		seeds(scenario.BestShare, "%.3f", func(s *measure.Summary) float64 { return s.Best }),
		seeds(scenario.Leave, "%.1f", func(s *measure.Summary) float64 { return s.Leave }),
		seeds(scenario.Return, "%.1f", func(s *measure.Summary) float64 { return s.Return }),
		seeds(scenario.FailingShare, "%.4f", func(s *measure.Summary) float64 { return s.Failing }),
		seeds(scenario.Errors, "%.4f", func(s *measure.Summary) float64 { return s.Errors }),
		seeds(scenario.Kept, "%.3f", func(s *measure.Summary) float64 { return s.Kept }),
		seeds(scenario.Quiet, "%.4f", func(s *measure.Summary) float64 { return s.Divergence }),
		seeds(scenario.Staleness, "%.3f", func(s *measure.Summary) float64 { return s.Staleness }),
		seeds(scenario.Left, "%.0f", func(s *measure.Summary) float64 { return s.Inflight + s.Unanswered }),
	}
}

// seeds is a metric that is the mean over the row's seeds.
func seeds(name scenario.Metric, format string, get func(*measure.Summary) float64) metric {
	return metric{name, format, func(_ *Results, row *Row) float64 { return row.over(get).Mean }}
}

func mean(s *measure.Summary) float64     { return s.Mean }
func p99(s *measure.Summary) float64      { return s.P99 }
func degraded(s *measure.Summary) float64 { return s.Degraded }

// sizeRatio is the greatest mean of the row's policy over the least, of all sizes of the fleet.
func (r *Results) sizeRatio(of *Row) float64 {
	if len(r.Sizes) < 2 {
		return math.NaN()
	}
	least, most := math.Inf(1), 0.0
	for _, row := range r.Rows {
		if row.Policy.Name == of.Policy.Name {
			m := row.over(mean).Mean
			least, most = min(least, m), max(most, m)
		}
	}
	return most / least
}

func (m metric) text(x float64) string {
	switch {
	case math.IsNaN(x):
		return "–"
	case math.IsInf(x, 1):
		return "never"
	}
	return fmt.Sprintf(m.format, x)
}
