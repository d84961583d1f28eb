package report

import (
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"github.com/sluice-gateway/sluice/tests/sim/scenario"
)

// Table writes what every policy made of the scenario. Ratios are to the best fixed split, seed by seed; the figure
// after ± is the standard deviation over the seeds.
func Table(w io.Writer, r *Results) {
	fmt.Fprintf(w, "\n%s  %s\nbest fixed split %.2f\n", r.Scenario.ID, r.Scenario.Title, r.Split)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	shown := r.shown()
	fmt.Fprint(t, "N\tpolicy\tmean s")
	for _, m := range shown {
		fmt.Fprint(t, "\t", m.name)
	}
	fmt.Fprintln(t)
	for _, row := range append([]*Row{r.Best}, r.Rows...) {
		x := row.over(mean)
		fmt.Fprintf(t, "%d\t%s\t%.3f ±%.3f", row.Nodes, row.Policy.Name, x.Mean, x.SD)
		for _, m := range shown {
			fmt.Fprint(t, "\t", m.text(m.value(r, row)))
		}
		fmt.Fprintln(t)
	}
	t.Flush()
}

// shown are the metrics that have something to say.
func (r *Results) shown() (out []metric) {
	for _, m := range metrics() {
		for _, row := range r.Rows {
			x := m.value(r, row)
			if !math.IsNaN(x) && (x != 0 || m.name != scenario.Errors && m.name != scenario.Left) {
				out = append(out, m)
				break
			}
		}
	}
	return out
}
