package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/sluice-gateway/sluice/tests/soak/fault"
	"github.com/sluice-gateway/sluice/tests/soak/figures"
	"github.com/sluice-gateway/sluice/tests/soak/ledger"
)

// table writes aligned rows.
type table struct{ w *tabwriter.Writer }

func newTable(out io.Writer) table { return table{tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)} }

func (t table) row(name string, values ...any) {
	fmt.Fprint(t.w, name)
	for _, v := range values {
		fmt.Fprintf(t.w, "\t%v", v)
	}
	fmt.Fprintln(t.w)
}

// part is a row with a number and its share.
func (t table) part(name string, n, of int) {
	t.row(name, n, fmt.Sprintf("%.2f%%", 100*share(n, of)))
}

// report prints what the run has found.
func (s *soak) report() {
	sums := s.ledger.Totals()
	for _, e := range sums.Examples {
		fmt.Fprintf(s.out, "VIOLATION %s\n", e)
	}
	for _, line := range s.logged.faults {
		fmt.Fprintf(s.out, "LOGGED %s\n", line)
	}
	t := newTable(s.out)
	s.reportRun(t, sums)
	reportRequests(t, sums)
	reportHits(t, sums)
	reportViolations(t, sums)
	t.row("lines logged", s.logged.lines)
	t.row("  of which errors or secrets", s.logged.errors)
	s.reportNodes(t)
	t.w.Flush()
}

func (s *soak) reportRun(t table, sums *ledger.Totals) {
	t.row("seed", s.seed)
	t.row("length", fmt.Sprintf("%v after %v of warm-up", s.length, s.warmUp))
	t.row("clients", s.callers)
	t.row("changes of configuration", s.changes)
	seconds := (s.length + s.warmUp).Seconds()
	t.row("requests", sums.Requests, fmt.Sprintf("%.0f/s", float64(sums.Requests)/seconds))
	t.row("words of answers", sums.Words, fmt.Sprintf("%.0f/s", float64(sums.Words)/seconds))
}

func reportRequests(t table, sums *ledger.Totals) {
	t.part("  streams", sums.Streams, sums.Requests)
	t.row("requests by outcome")
	for _, name := range ledger.Results() {
		t.part("  "+name, sums.Results[name], sums.Requests)
	}
	t.row("errors by status")
	for _, status := range slices.Sorted(maps.Keys(sums.Statuses)) {
		t.part(fmt.Sprintf("  %d", status), sums.Statuses[status], sums.Requests)
	}
	t.row("requests by route, and errors but 400")
	for _, r := range routes() {
		n, failed := sums.Routes[r.Model], sums.Failed[r.Model]
		t.row("  "+r.Model, n, fmt.Sprintf("%.2f%%", 100*share(failed, n)))
	}
	t.row("requests by attempts")
	for _, n := range slices.Sorted(maps.Keys(sums.Attempts)) {
		t.part(fmt.Sprintf("  %d", n), sums.Attempts[n], sums.Requests)
	}
}

func reportHits(t table, sums *ledger.Totals) {
	t.row("upstream requests", sums.Hits)
	for _, name := range models() {
		t.part("  "+name, sums.Targets[name], sums.Hits)
	}
	t.row("upstream requests by what was done to them")
	for _, name := range fault.Names() {
		t.part("  "+name, sums.Kinds[name], sums.Hits)
	}
	t.part("sent again, the connection ended silently", sums.Replays, sums.Hits)
	t.part("attempts on the dead target", sums.UnseenDead, sums.Hits)
	t.part("attempts that reached nobody otherwise", sums.Unseen, sums.Hits)
	t.part("limits of time that passed without a fault", sums.Slow, sums.Requests)
	if n := len(sums.Released); n > 0 {
		slices.Sort(sums.Released)
		t.row("stalled upstream let go after its client left", fmt.Sprintf("p50 %v, p99 %v, of %d",
			sums.Released[n/2].Round(time.Millisecond), sums.Released[n*99/100].Round(time.Millisecond), n))
	}
}

func reportViolations(t table, sums *ledger.Totals) {
	t.row("violations", sums.Broken())
	for _, rule := range slices.Sorted(maps.Keys(sums.Violations)) {
		t.row("  "+rule, sums.Violations[rule])
	}
}

func (s *soak) reportNodes(t table) {
	t.row("nodes", "goroutines", "heap", "stacks", "resident", "in flight")
	for i := range s.after {
		held := func(when string, f figures.Figures, inFlight any) {
			t.row(fmt.Sprintf("  node %d at the %s", i, when), f.Goroutines, mib(f.Heap), mib(f.Stacks), mib(f.Resident), inFlight)
		}
		held("start", s.before[i], 0)
		held("end", s.after[i], s.inFlight[i])
	}
}
