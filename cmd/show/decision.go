package show

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/sluice-gateway/sluice/core/decision"
	"github.com/sluice-gateway/sluice/core/rank"
)

// Explanation writes what would be tried in which order, and why.
func Explanation(w io.Writer, e decision.Explanation) error {
	p := &printer{w: w}
	p.line("%s on node %s at revision %d, %s", e.Model, short(e.Node), e.Revision, manner(e.Stream))
	p.plan(e.Plan)
	return p.err
}

// Decision writes what was decided about a request that was served, what was tried and how that ended.
func Decision(w io.Writer, d decision.Decision) error {
	p := &printer{w: w}
	p.line("request %s of %s: %s on node %s at revision %d, %s, %s", d.RequestID, dash(d.Caller), d.Model, short(d.Node), d.Revision, manner(d.Stream), d.Time.UTC().Format(time.RFC3339Nano))
	p.plan(d.Plan)
	p.attempts(d)
	return p.err
}

func manner(stream bool) string {
	if stream {
		return "a stream"
	}
	return "a whole answer"
}

func (p *printer) plan(plan decision.Plan) {
	p.line("decided in short: %s", dash(plan.Summary()))
	if plan.Refused != nil {
		p.line("refused with %d (%s): %s", plan.Refused.Status, plan.Refused.Reason, plan.Refused.Message)
	}
	p.order(plan)
	if plan.Ranking == nil {
		p.line("")
		p.line("why it is so was not kept: of large routings it is now and then")
		return
	}
	p.ranking(plan.Ranking)
}

func (p *printer) order(plan decision.Plan) {
	rows := make([]string, 0, len(plan.Order))
	for i, s := range plan.Order {
		rows = append(rows, strings.Join([]string{strconv.Itoa(i + 1), s.Target, standing(s)}, "\t"))
	}
	p.line("")
	p.table("TRY\tTARGET\tSTANDING", rows)
	if plan.MoreTargets > 0 {
		p.line("and %s more", count(plan.MoreTargets, "target"))
	}
}

func standing(s decision.Step) string {
	var words []string
	if s.Probe {
		words = append(words, "probe")
	}
	if s.HalfOpen {
		words = append(words, "half-open")
	}
	if s.Cooling > 0 {
		words = append(words, "COOLING "+seconds(s.Cooling))
	}
	if len(words) == 0 {
		return "ready"
	}
	return strings.Join(words, ", ")
}

func (p *printer) ranking(r *rank.Trace) {
	for i := range r.Tiers {
		p.line("")
		p.tier(&r.Tiers[i])
	}
	rows := make([]string, 0, len(r.Candidates))
	for i := range r.Candidates {
		rows = append(rows, candidate(&r.Candidates[i]))
	}
	p.line("")
	p.table("PLACE\tCANDIDATE\tTIER\tWEIGHT\tBY\tEXPECTED\tSAMPLES\tFAILURES\tIN FLIGHT\tSTATE", rows)
	p.dimensions(r)
}

// tier says what the members of a tier have in common.
func (p *printer) tier(t *rank.TierTrace) {
	words := []string{fmt.Sprintf("%s, tier %d: %s", strings.Join(t.Path, " > "), t.Priority, t.Strategy)}
	if t.Spare {
		words = append(words, "weight 0")
	}
	if l := t.Latency; l != nil {
		words = append(words, fmt.Sprintf("%s by rule %s", l.Selection, l.Rule))
	}
	if s := t.Scored; s != nil {
		words = append(words, "profile "+dash(s.Profile))
		if s.RunnerUp != "" && s.Margin != nil {
			words = append(words, fmt.Sprintf("%s leads %s by %.4f (%s)", s.Leader, s.RunnerUp, *s.Margin, s.DecidedBy))
		}
		if s.Explored != "" {
			words = append(words, "explores "+s.Explored)
		}
	}
	if s := t.Semantic; s != nil {
		words = append(words, "meaning "+string(s.State))
		if s.Fallback {
			words = append(words, "the fallback serves")
		}
		if s.Catchall {
			words = append(words, "the catchall behind the others")
		}
	}
	p.line("%s", strings.Join(words, ", "))
}

func candidate(c *rank.Candidate) string {
	place := "-"
	if c.Position > 0 {
		place = strconv.Itoa(c.Position)
	}
	name := strings.Repeat("  ", len(c.Path)-1) + c.Target
	if c.Routing != "" {
		name += c.Routing + " >"
	}
	expected, samples, failures, inflight := "-", "-", "-", "-"
	if len(c.Evidence) == 1 {
		e := &c.Evidence[0]
		expected, samples = seconds(e.Expected), fmt.Sprintf("%.1f", e.Samples)
		failures, inflight = percent(e.Failures), strconv.Itoa(e.Inflight)
	}
	return strings.Join([]string{place, name, strconv.Itoa(c.Priority), strconv.Itoa(c.Weight), by(c), expected, samples, failures, inflight, role(c)}, "\t")
}

// by is what the strategy compares.
func by(c *rank.Candidate) string {
	for _, key := range []struct {
		name string
		of   *float64
	}{
		{"total", c.Total}, {"price", c.Price}, {"load", c.Load}, {"hash", c.HashScore}, {"turn", c.Turn}, {"score", c.Score},
	} {
		if key.of != nil {
			return fmt.Sprintf("%s %.4g", key.name, *key.of)
		}
	}
	if s := c.Semantic; s != nil && s.Score != nil {
		if s.Threshold != nil {
			return fmt.Sprintf("cosine %.4f, bar %.4f", *s.Score, *s.Threshold)
		}
		return fmt.Sprintf("cosine %.4f", *s.Score)
	}
	return "-"
}

func role(c *rank.Candidate) string {
	var words []string
	for _, is := range []struct {
		so   bool
		word string
	}{
		{c.Excluded != "", "LEFT OUT: " + string(c.Excluded)}, {c.Class != "", c.Class}, {c.Probe, "probe"}, {c.Sticks, "session"},
		{c.Explored, "explored"}, {len(c.Demoted) > 0, "demoted by " + strings.Join(c.Demoted, ",")},
	} {
		if is.so {
			words = append(words, is.word)
		}
	}
	if len(words) == 0 {
		return "-"
	}
	return strings.Join(words, ", ")
}

// dimensions shows what totals are made of.
func (p *printer) dimensions(r *rank.Trace) {
	var rows []string
	for i := range r.Candidates {
		c := &r.Candidates[i]
		for j := range c.Dimensions {
			rows = append(rows, dimension(c, &c.Dimensions[j]))
		}
		if c.Total != nil {
			rows = append(rows, c.Target+c.Routing+"\ttotal\t\t\t\t\t\t\t"+fmt.Sprintf("%.4f", *c.Total))
		}
	}
	if len(rows) > 0 {
		p.line("")
	}
	p.table("CANDIDATE\tDIMENSION\tVALUE\tSOURCE\tSAMPLES\tAGE\tSCORE\tWEIGHT\tCONTRIBUTION", rows)
}

func dimension(c *rank.Candidate, d *rank.DimensionTrace) string {
	source := d.Source
	if d.Imputed {
		source += " (imputed)"
	}
	value := number(d.Raw, "%.4g")
	if d.Raw != nil {
		value += " " + d.Unit
	}
	age := "-"
	if d.Age != nil {
		age = seconds(*d.Age)
	}
	return strings.Join([]string{
		c.Target + c.Routing, d.Dimension, value, source, number(d.Samples, "%.1f"), age,
		fmt.Sprintf("%.4f", d.Score), fmt.Sprintf("%.4f", d.Weight), fmt.Sprintf("%.4f", d.Contribution),
	}, "\t")
}

func number(x *float64, format string) string {
	if x == nil {
		return "-"
	}
	return fmt.Sprintf(format, *x)
}

func (p *printer) attempts(d decision.Decision) {
	rows := make([]string, 0, len(d.Attempts))
	for i, a := range d.Attempts {
		rows = append(rows, strings.Join([]string{
			strconv.Itoa(i + 1), a.Target, outcome(a), dashZero(a.Status), seconds(a.Elapsed), firstToken(a.FirstToken),
		}, "\t"))
	}
	p.line("")
	p.table("ATTEMPT\tTARGET\tOUTCOME\tSTATUS\tELAPSED\tFIRST TOKEN", rows)
	if d.MoreAttempts > 0 {
		p.line("and %s more", count(d.MoreAttempts, "attempt"))
	}
	if d.Outcome == "" {
		p.line("under way")
		return
	}
	p.line("ended with %s, status %d, after %s", d.Outcome, d.Status, seconds(d.Elapsed))
}

func outcome(a decision.Attempt) string {
	if a.Cooled {
		return a.Outcome + ", COOLED"
	}
	return a.Outcome
}

func dashZero(n int) string {
	if n == 0 {
		return "-"
	}
	return strconv.Itoa(n)
}

func firstToken(s float64) string {
	if s == 0 {
		return "-"
	}
	return seconds(s)
}
