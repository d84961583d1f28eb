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
	// Split is the best fixed split, and Best how it did.
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

// Add adds a row to be filled.
func (r *Results) Add(p policy.Named, nodes, seeds int) *Row {
	row := NewRow(p, nodes, seeds)
	r.Rows = append(r.Rows, row)
	return row
}

// NewRow returns a row to be filled.
func NewRow(p policy.Named, nodes, seeds int) *Row {
	return &Row{Policy: p, Nodes: nodes, Seeds: make([]measure.Summary, seeds)}
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
