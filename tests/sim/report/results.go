package report

import (
	"github.com/sluice-gateway/sluice/tests/sim/measure"
	"github.com/sluice-gateway/sluice/tests/sim/policy"
	"github.com/sluice-gateway/sluice/tests/sim/scenario"
)

// Results is all simulations of one scenario.
type Results struct {
	Scenario *scenario.Scenario
	Sizes    []int
	// Split is the best fixed split.
	Split []float64
	Best  *Row
	Rows  []*Row
}

// Row is one policy in one size of the fleet.
type Row struct {
	Policy policy.Named
	Nodes  int
	Seeds  []measure.Summary
}

// Row adds an empty row; best: it is that of the best fixed split.
func (r *Results) Row(p policy.Named, nodes, seeds int, best bool) *Row {
	row := &Row{Policy: p, Nodes: nodes, Seeds: make([]measure.Summary, seeds)}
	if best {
		r.Best = row
	} else {
		r.Rows = append(r.Rows, row)
	}
	return row
}

// over is a number of the row over its seeds.
func (r *Row) over(get func(*measure.Summary) float64) measure.Spread {
	return measure.Over(r.Seeds, get)
}

// ratio is a number of the row over that of another, seed by seed.
func (r *Row) ratio(to *Row, get func(*measure.Summary) float64) float64 {
	var sum float64
	for i := range r.Seeds {
		sum += get(&r.Seeds[i]) / get(&to.Seeds[i])
	}
	return sum / float64(len(r.Seeds))
}

func mean(s *measure.Summary) float64        { return s.Mean }
func p50(s *measure.Summary) float64         { return s.P50 }
func p99(s *measure.Summary) float64         { return s.P99 }
func degraded(s *measure.Summary) float64    { return s.Degraded }
func oscillation(s *measure.Summary) float64 { return s.Oscillation }
func best(s *measure.Summary) float64        { return s.Best }
func leave(s *measure.Summary) float64       { return s.Leave }
func back(s *measure.Summary) float64        { return s.Return }
func failing(s *measure.Summary) float64     { return s.Failing }
func failures(s *measure.Summary) float64    { return s.Errors }
func divergence(s *measure.Summary) float64  { return s.Divergence }
func staleness(s *measure.Summary) float64   { return s.Staleness }
func left(s *measure.Summary) float64        { return s.Inflight + s.Unanswered }
