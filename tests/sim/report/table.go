package report

import (
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"github.com/sluice-gateway/sluice/tests/sim/measure"
)

// column is one figure of the table; it is left out where no row has it.
type column struct {
	name   string
	get    func(*measure.Summary) float64
	format func(measure.Spread) string
}

func columns() []column {
	return []column{
		{"mean s", mean, func(x measure.Spread) string { return fmt.Sprintf("%.3f ±%.3f", x.Mean, x.SD) }},
		{"p50", p50, plain("%.2f")},
		{"p99", p99, plain("%.2f")},
		{"degraded", degraded, plain("%.2f")},
		{"OI", oscillation, plain("%.3f")},
		{"best's share", best, plain("%.3f")},
		{"leaves s", leave, plain("%.1f")},
		{"returns s", back, plain("%.1f")},
		{"failing's share", failing, plain("%.4f")},
		{"errors", failures, plain("%.4f")},
		{"D quiet", divergence, plain("%.4f")},
		{"E p99", staleness, plain("%.3f")},
	}
}

func plain(format string) func(measure.Spread) string {
	return func(x measure.Spread) string {
		switch {
		case math.IsNaN(x.Mean):
			return "–"
		case math.IsInf(x.Mean, 1):
			return "never"
		}
		return fmt.Sprintf(format, x.Mean)
	}
}

// Table writes one table of the scenario for each size of the fleet.
func Table(w io.Writer, r *Results) {
	fmt.Fprintf(w, "\n%s  %s\n", r.Scenario.ID, r.Scenario.Title)
	fmt.Fprintf(w, "best fixed split %.2f\n", r.Split)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	shown := r.shown()
	fmt.Fprint(t, "N\tpolicy\tmean/best\tp99/best")
	for _, c := range shown {
		fmt.Fprint(t, "\t", c.name)
	}
	fmt.Fprintln(t)
	for _, row := range append([]*Row{r.Best}, r.Rows...) {
		fmt.Fprintf(t, "%d\t%s\t%.3f\t%.3f", row.Nodes, row.Policy.Name, row.ratio(r.Best, mean), row.ratio(r.Best, p99))
		for _, c := range shown {
			fmt.Fprint(t, "\t", c.format(row.over(c.get)))
		}
		fmt.Fprintln(t)
	}
	t.Flush()
}

// shown are the columns that have something to say.
func (r *Results) shown() (out []column) {
	for _, c := range columns() {
		for _, row := range r.Rows {
			if x := row.over(c.get); !math.IsNaN(x.Mean) && (c.name != "errors" || x.Mean > 0) {
				out = append(out, c)
				break
			}
		}
	}
	return out
}
