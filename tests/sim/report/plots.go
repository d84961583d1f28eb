package report

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Plots writes into the folder, of the first seed in a fleet of plotted nodes, the shares of the targets over time
// under each policy, and the latencies under all of them.
func Plots(folder string, r *Results) error {
	latencies := &Chart{
		Title: r.Scenario.ID + ": " + r.Scenario.Title, X: "seconds until the answer", Y: "share of the callers",
		Left: 0.25, Right: 64, Top: 1, Log: true, Parts: 8,
	}
	for _, row := range append([]*Row{r.Best}, r.Rows...) {
		if row.Nodes != plotted && row != r.Best {
			continue
		}
		latencies.Lines = append(latencies.Lines, row.cdf())
		if err := write(folder, r.Scenario.ID+"-shares-"+row.Policy.Name, r.shares(row)); err != nil {
			return err
		}
	}
	return write(folder, r.Scenario.ID+"-latencies", latencies)
}

// plotted is the size of the fleet that is plotted.
const plotted = 10

func (r *Row) cdf() Line {
	l := Line{Name: r.Policy.Name, X: r.Seeds[0].CDF}
	for i := range l.X {
		l.Y = append(l.Y, float64(i)/float64(len(l.X)))
	}
	return l
}

func (r *Results) shares(row *Row) *Chart {
	s := r.Scenario
	c := &Chart{
		Title: fmt.Sprintf("%s: %s, %s", s.ID, s.Title, row.Policy.Name), X: "seconds", Y: "share of 3 s",
		Right: s.Length.Seconds(), Top: 1, Parts: int(s.Length / time.Minute),
	}
	if s.Slow > 0 {
		c.Marks = append(c.Marks, s.Slow.Seconds())
	}
	if s.Healed > 0 {
		c.Marks = append(c.Marks, s.Healed.Seconds())
	}
	for t, shares := range row.Seeds[0].Shares {
		c.Lines = append(c.Lines, Line{Name: s.NameOf(t), X: row.Seeds[0].At, Y: shares})
	}
	return c
}

func write(folder, name string, c *Chart) (err error) {
	name = strings.NewReplacer(" ", "-", "=", "-").Replace(name)
	f, err := os.Create(filepath.Join(folder, name+".svg"))
	if err != nil {
		return fmt.Errorf("write plot: %w", err)
	}
	defer func() {
		if e := f.Close(); err == nil {
			err = e
		}
	}()
	return c.WriteSVG(f)
}
