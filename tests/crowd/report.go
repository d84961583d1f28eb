package main

import (
	"fmt"
	"io"
	"math"
	"text/tabwriter"
	"time"

	"github.com/sluice-gateway/sluice/proxy/share"
)

const (
	// tolerance is how far a rate may lie from its formula.
	tolerance = 0.10
	// overhead is what etcd keeps of a write beside key and value: the revision's key, the record's other fields.
	overhead = 64
	keySize  = len("/sluice/fleet/signals/crowd/node-0000")
)

// row is one line of the report: what was measured beside what the formula or the limit says.
type row struct {
	name      string
	got, want float64
	unit      string
	// judge says whether got is as it should be; nil: it is only shown.
	judge func(got, want float64) bool
}

func near(got, want float64) bool    { return math.Abs(got-want) <= tolerance*want }
func within(got, limit float64) bool { return got <= limit }

// rootEvery is how often an aggregator writes, as long as there are at most 2,000 nodes.
const rootEvery = time.Second

// hop is what an aggregator adds.
func (o *figures) hop() time.Duration {
	if o.mode == share.Tree {
		return rootEvery * 11 / 10
	}
	return 0
}

// allowed is how soon after the last sample all nodes must agree, and stepLimit how soon after a step: SIGNALS.md §6.7,
// which has the latter for an interval of one second.
func (o *figures) allowed() time.Duration   { return 2*o.interval + 500*time.Millisecond + o.hop() }
func (o *figures) stepLimit() time.Duration { return 3*o.interval + o.hop() }

// rows are the lines of one run.
func (o *figures) rows() []row {
	n, i, s := float64(o.plan.nodes), o.interval.Seconds(), o.window.Seconds()
	rate := func(count int64) float64 { return float64(count) / s }
	v := float64(o.cost.putBytes) / max(float64(o.cost.puts), 1)
	writes, values, bytes := n/i, n*n/i, n*n*v/i
	if o.mode == share.Tree {
		root := float64(o.cost.rootBytes) / max(float64(o.cost.roots), 1)
		r := rootEvery.Seconds()
		writes += 1 / r
		values, bytes = n/i+n/r, n*v/i+n*root/r
	}
	writeBytes := rate(o.cost.putBytes + o.cost.rootBytes)
	return []row{
		{"interval", i, 0, "s", nil},
		{"size of a value", v, 0, "B", nil},
		{"writes", rate(o.cost.puts + o.cost.roots), writes, "/s", near},
		{"values delivered", rate(o.cost.values), values, "/s", near},
		{"bytes delivered", rate(o.cost.valueBytes) / 1e6, bytes / 1e6, "MB/s", near},
		{"etcd grows", float64(o.growth) / s / 1e6, (writeBytes + rate(o.cost.puts+o.cost.roots)*float64(overhead+keySize)) / 1e6, "MB/s", nil},
		{"writes slower than 100 ms", 100 * float64(o.cost.slow) / max(float64(o.cost.puts), 1), 0, "%", nil},
		{"failed writes", float64(o.cost.putFailures), 0, "", within},
		{"rejected values", float64(o.cost.rejects), 0, "", within},
		{"nodes degraded or slowed", float64(o.degraded), 0, "", within},
		{"machine late, p99", percentile(o.late, 99).Seconds(), 0, "s", nil},
		{"until all see all", o.settling.Seconds(), 0, "s", nil},
		{"lag p50", percentile(o.lag, 50).Seconds(), 0, "s", nil},
		{"lag p99", percentile(o.lag, 99).Seconds(), 0, "s", nil},
		{"5x step reaches all", o.stepReached.Seconds(), o.stepLimit().Seconds(), "s", within},
		{"until D <= 5 %", o.stepApart.Seconds(), o.stepLimit().Seconds(), "s", within},
		{"until E <= 10 %", o.stepOff.Seconds(), o.stepLimit().Seconds(), "s", within},
		{"D at that limit", 100 * o.stepLeft.apart, 100 * stepApart, "%", nil},
		{"E at that limit", 100 * o.stepLeft.off, 100 * stepOff, "%", nil},
		{"quiet until D <= 1 %", o.quiet.Seconds(), o.quietLimit.Seconds(), "s", within},
		{"D when quiet", 100 * o.quietApart, 100 * quietApart, "%", within},
	}
}

// report prints one table and returns whether everything is as it should be.
func report(out io.Writer, runs []figures) bool {
	fine := true
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "\t")
	for _, o := range runs {
		fmt.Fprintf(w, "%d nodes, %s\tformula, limit\t\t", o.plan.nodes, o.mode)
	}
	fmt.Fprintln(w)
	lines := make([][]row, len(runs))
	for i := range runs {
		lines[i] = runs[i].rows()
	}
	for i := range lines[0] {
		fmt.Fprintf(w, "%s\t", lines[0][i].name)
		for _, run := range lines {
			r := run[i]
			fmt.Fprintf(w, "%s\t%s\t%s\t", shown(r.got, r.unit), wanted(r), r.verdict())
			fine = fine && r.verdict() != "NO"
		}
		fmt.Fprintln(w)
	}
	w.Flush()
	return fine
}

func shown(v float64, unit string) string {
	if v == math.Trunc(v) || v >= 1000 {
		return fmt.Sprintf("%.0f %s", v, unit)
	}
	return fmt.Sprintf("%.2f %s", v, unit)
}

func wanted(r row) string {
	if r.judge == nil && r.want == 0 {
		return ""
	}
	return shown(r.want, r.unit)
}

func (r row) verdict() string {
	switch {
	case r.judge == nil:
		return ""
	case r.judge(r.got, r.want):
		return "ok"
	}
	return "NO"
}
