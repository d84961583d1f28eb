package show

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/sluice-gateway/sluice/admin/fleet"
	"github.com/sluice-gateway/sluice/core"
)

// Fleet writes the report: the nodes, what they reject, and what each cell has measured.
func Fleet(w io.Writer, r fleet.Report, now time.Time) error {
	p := &printer{w: w}
	p.line("revision %d, %s in %s", r.Revision, count(len(r.Nodes), "live node"), count(len(r.Cells), "cell"))
	p.nodes(r, now)
	p.rejected(r)
	for _, c := range r.Cells {
		p.cell(c)
	}
	return p.err
}

// printer keeps the first error.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

// table writes rows under a header, the cells of each separated by tabs.
func (p *printer) table(header string, rows []string) {
	if len(rows) == 0 || p.err != nil {
		return
	}
	t := tabwriter.NewWriter(p.w, 0, 0, 2, ' ', 0)
	for _, row := range append([]string{header}, rows...) {
		fmt.Fprintln(t, row)
	}
	p.err = t.Flush()
}

func (p *printer) nodes(r fleet.Report, now time.Time) {
	rows := make([]string, 0, len(r.Nodes))
	for _, n := range r.Nodes {
		rows = append(rows, strings.Join([]string{
			n.ID, dash(n.Host), dash(n.Cell), dash(n.Version), up(n.StartedAt, now), revision(n, r.Revision), state(n),
		}, "\t"))
	}
	p.line("")
	p.table("NODE\tHOST\tCELL\tVERSION\tUP\tREVISION\tSTATE", rows)
}

func (p *printer) rejected(r fleet.Report) {
	for _, n := range r.Nodes {
		for _, f := range n.Rejected {
			p.line("%s does not serve %s as stored: %s: %s", n.ID, f.Ref, at(f), f.Message)
		}
	}
}

func at(f core.Fault) string {
	if f.Pointer == "" {
		return f.Rule
	}
	return f.Pointer
}

// revision names how far behind a node is, in revisions of the store: not all of them are changes of resources.
func revision(n fleet.Node, last int64) string {
	if n.Lagging {
		return fmt.Sprintf("%d (of %d)", n.Revision, last)
	}
	return strconv.FormatInt(n.Revision, 10)
}

func state(n fleet.Node) string {
	var words []string
	if n.Draining {
		words = append(words, "draining")
	}
	if n.Lagging {
		words = append(words, "LAGGING")
	}
	if len(n.Rejected) > 0 {
		words = append(words, "REJECTS "+strconv.Itoa(len(n.Rejected)))
	}
	if len(words) == 0 {
		return "serving"
	}
	return strings.Join(words, ", ")
}

// up is by two clocks, this one and the node's: a node that seems to come from the future has just started.
func up(since, now time.Time) string {
	if since.IsZero() {
		return "-"
	}
	return span(max(now.Sub(since), 0))
}

// span shows a duration by its two greatest units.
func span(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d >= day:
		return fmt.Sprintf("%dd%dh", d/day, d%day/time.Hour)
	case d >= time.Hour:
		return fmt.Sprintf("%dh%dm", d/time.Hour, d%time.Hour/time.Minute)
	case d >= time.Minute:
		return fmt.Sprintf("%dm%ds", d/time.Minute, d%time.Minute/time.Second)
	}
	return fmt.Sprintf("%ds", d/time.Second)
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// count is "1 node" or "2 nodes".
func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return strconv.Itoa(n) + " " + what
}
