package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/sluice-gateway/sluice/tests/bench/load"
)

// metric is one row of the report, computed for each round.
type metric struct {
	name string
	of   func(round) float64
	// stream rows make sense for streams only.
	stream bool
}

func metrics() []metric {
	return []metric{
		{name: "CPU ms / 1,000 requests", of: cpuPerThousand},
		{name: "allocations / request", of: func(r round) float64 { return r.used.mallocs / r.requests() }},
		{name: "allocated bytes / request", of: func(r round) float64 { return r.used.bytes / r.requests() }},
		{name: "p50 ms", of: func(r round) float64 { return milliseconds(load.Percentile(r.load.Total, 50)) }},
		{name: "p99 ms", of: func(r round) float64 { return milliseconds(load.Percentile(r.load.Total, 99)) }},
		{name: "p50 ms to first content", stream: true, of: func(r round) float64 { return milliseconds(load.Percentile(r.load.First, 50)) }},
		{name: "p99 ms to first content", stream: true, of: func(r round) float64 { return milliseconds(load.Percentile(r.load.First, 99)) }},
		{name: "requests / s", of: func(r round) float64 { return r.load.Rate() }},
	}
}

func (r round) requests() float64 { return float64(len(r.load.Total)) }

func cpuPerThousand(r round) float64 { return milliseconds(r.used.cpu) / r.requests() * 1000 }

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// summary is the median of one metric over the rounds: of each contender, and of the ratio of the
// second contender to the first within each round.
type summary struct{ base, other, ratio float64 }

// summarize computes a metric of each round of each contender and takes medians.
func (o outcome) summarize(of func(round) float64) summary {
	var base, other, ratio []float64
	for _, r := range o.rounds {
		a, b := of(r[0]), of(r[1])
		base, other, ratio = append(base, a), append(other, b), append(ratio, b/a)
	}
	return summary{median(base), median(other), median(ratio)}
}

// median returns the middle of a set that is not empty.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// perEvent returns what one event of a stream costs in microseconds of CPU: the difference between long and
// short streams, round by round.
func perEvent(long, short outcome) summary {
	var base, other, ratio []float64
	for i := range min(len(long.rounds), len(short.rounds)) {
		cost := func(j int) float64 {
			return (cpuPerThousand(long.rounds[i][j]) - cpuPerThousand(short.rounds[i][j])) / (longStream - shortStream)
		}
		a, b := cost(0), cost(1)
		base, other, ratio = append(base, a), append(other, b), append(ratio, b/a)
	}
	return summary{median(base), median(other), median(ratio)}
}

// translation returns how many times the CPU of a request that passes one costs that is translated, round by round.
func translation(translated, passed outcome) summary {
	var base, other, ratio []float64
	for i := range min(len(translated.rounds), len(passed.rounds)) {
		cost := func(j int) float64 {
			return cpuPerThousand(translated.rounds[i][j]) / cpuPerThousand(passed.rounds[i][j])
		}
		a, b := cost(0), cost(1)
		base, other, ratio = append(base, a), append(other, b), append(ratio, b/a)
	}
	return summary{median(base), median(other), median(ratio)}
}

// report prints the table.
func report(w io.Writer, contenders []contender, outcomes []outcome, peak summary) error {
	t := table{w: w}
	t.line("", contenders[0].name, contenders[1].name, "ratio")
	byName := map[string]outcome{}
	for _, o := range outcomes {
		byName[o.workload.name] = o
		t.line(title(o.workload, len(o.rounds)), "", "", "")
		for _, m := range metrics() {
			if !m.stream || o.workload.plan.Request.Events > 0 {
				t.row("  "+m.name, o.summarize(m.of))
			}
		}
	}
	t.line("whole run", "", "", "")
	if long, short := byName[longClosed], byName[shortClosed]; len(long.rounds) > 0 && len(short.rounds) > 0 {
		t.row("  CPU µs / stream event", perEvent(long, short))
	}
	for _, c := range []struct{ name, translated, passed string }{
		{"  CPU of a translated chat / of one that passes", chatTranslated, chatClosed},
		{"  CPU of a translated stream / of one that passes", longTranslated, longClosed},
	} {
		if translated, passed := byName[c.translated], byName[c.passed]; len(translated.rounds) > 0 && len(passed.rounds) > 0 {
			t.row(c.name, translation(translated, passed))
		}
	}
	t.row("  peak memory MiB", peak)
	return t.err
}

// table writes aligned lines; the first error stays in err and ends the writing.
type table struct {
	w   io.Writer
	err error
}

func (t *table) line(cells ...any) {
	if t.err == nil {
		_, t.err = fmt.Fprintf(t.w, "%-58s %12s %12s %8s\n", cells...)
	}
}

func (t *table) row(name string, s summary) {
	t.line(name, number(s.base), number(s.other), fmt.Sprintf("%.2f×", s.ratio))
}

// number shows three significant digits, and all digits before the point.
func number(v float64) string {
	return strconv.FormatFloat(v, 'f', max(0, 2-int(math.Floor(math.Log10(max(v, 0.01))))), 64)
}

func title(w workload, rounds int) string {
	p := w.plan
	how := fmt.Sprintf("%d connections", p.Connections)
	if p.Rate > 0 {
		how = fmt.Sprintf("%.0f requests/s", p.Rate)
	}
	return fmt.Sprintf("%s, %s, %d × %d", w.name, how, rounds, p.Count)
}
