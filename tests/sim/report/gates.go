package report

import (
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"github.com/sluice-gateway/sluice/tests/sim/scenario"
)

// Gates writes how the product's policies stand to the scenario's gates, in the size of the fleet where they
// are furthest off, and returns how many the default misses.
func Gates(w io.Writer, r *Results) (missed int) {
	policies := r.ours()
	if len(policies) == 0 {
		return 0
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "gate\t")
	for _, p := range policies {
		fmt.Fprint(t, "\t", p)
	}
	fmt.Fprintln(t)
	for _, g := range r.Scenario.AllGates() {
		fmt.Fprintf(t, "%v\t", g)
		for i, p := range policies {
			text, ok := r.judge(g, p)
			fmt.Fprint(t, "\t", text)
			if i == 0 && !ok {
				missed++
			}
		}
		fmt.Fprintln(t)
	}
	t.Flush()
	return missed
}

// ours are the names of the product's policies that share, the default first; not the ablations.
func (r *Results) ours() (out []string) {
	seen := map[string]bool{}
	for _, row := range r.Rows {
		if row.Policy.Ours && row.Policy.Shared && !row.Policy.Ablation && !seen[row.Policy.Name] {
			seen[row.Policy.Name] = true
			out = append(out, row.Policy.Name)
		}
	}
	return out
}

// Misses returns the gates that a policy misses, each with its figure.
func (r *Results) Misses(policy string) (out []string) {
	for _, g := range r.Scenario.AllGates() {
		if text, ok := r.judge(g, policy); !ok {
			out = append(out, fmt.Sprintf("%s: %v: %s", r.Scenario.ID, g, text))
		}
	}
	return out
}

// judge holds the worst of the policy's rows against a gate. A figure that no row has is no miss: the gate is
// about a larger choice of fleets than was simulated.
func (r *Results) judge(g scenario.Gate, policy string) (text string, ok bool) {
	m, worst := find(g.Metric), math.NaN()
	for _, row := range r.Rows {
		if row.Policy.Name != policy {
			continue
		}
		if x := m.value(r, row); math.IsNaN(worst) || g.Worse(x, worst) {
			worst = x
		}
	}
	if g.Passes(worst) {
		return m.text(worst), true
	}
	return m.text(worst) + " MISS", false
}

func find(name scenario.Metric) metric {
	for _, m := range metrics() {
		if m.name == name {
			return m
		}
	}
	panic("report: no metric is called " + string(name))
}
