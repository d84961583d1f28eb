package decision

import (
	"math"
	"strconv"
	"strings"

	"github.com/sluice-gateway/sluice/core/rank"
)

// maxSummary bounds a summary in bytes, well below what any proxy takes as one header.
const maxSummary = 1024

// Summary says the plan in one line of ASCII, at most 1,024 bytes, for a header:
//
//	strategy=least_latency; order=a,b,c; why=expected_time; margin=41%; rule=elastic; cooling=c; excluded=d:tag
//
// The fields that do not apply, or for which there is no room, are absent. A list that would be too long ends in its number of further elements.
func (p *Plan) Summary() string {
	s := summary{left: maxSummary}
	r := p.Ranking
	if r != nil && len(r.Tiers) > 0 {
		s.field("strategy", string(r.Tiers[0].Strategy))
	}
	if p.Refused != nil {
		s.field("refused", p.Refused.Reason)
	}
	if r != nil {
		why, margin := reason(r)
		s.field("why", why)
		s.field("margin", margin)
		if len(r.Tiers) > 0 && r.Tiers[0].Latency != nil {
			s.field("rule", string(r.Tiers[0].Latency.Rule))
		}
	}
	s.list("order", p.Order, func(x Step) string { return x.Target })
	s.list("probe", p.Order, func(x Step) string { return only(x.Probe, x.Target) })
	s.list("half_open", p.Order, func(x Step) string { return only(x.HalfOpen, x.Target) })
	s.list("cooling", p.Order, func(x Step) string { return only(x.Cooling > 0, x.Target) })
	if r != nil {
		s.excluded(r)
	}
	return s.b.String()
}

func only(is bool, name string) string {
	if is {
		return name
	}
	return ""
}

// summary is a line that does not grow beyond its bound.
type summary struct {
	b    strings.Builder
	left int
}

// reserved is kept for the number of what a list leaves out.
const reserved = len(",+999999")

// field adds a field, unless it is empty or has no room.
func (s *summary) field(name, value string) {
	if n := len("; ") + len(name) + len("=") + len(value); value != "" && n <= s.left {
		s.begin(name)
		s.add(value)
	}
}

func (s *summary) begin(name string) {
	if s.b.Len() > 0 {
		s.add("; ")
	}
	s.add(name + "=")
}

func (s *summary) add(text string) {
	s.b.WriteString(text)
	s.left -= len(text)
}

// list adds what of makes of each step, and leaves out what that makes nothing of.
func (s *summary) list(name string, steps []Step, of func(Step) string) {
	var l []string
	for _, x := range steps {
		if text := of(x); text != "" {
			l = append(l, text)
		}
	}
	s.names(name, l)
}

func (s *summary) names(name string, list []string) {
	if len(list) == 0 || s.left < len("; ")+len(name)+len("=")+reserved {
		return
	}
	s.begin(name)
	for i, text := range list {
		if i > 0 {
			text = "," + text
		}
		if len(text)+reserved > s.left {
			s.add(strings.TrimPrefix(",+"+strconv.Itoa(len(list)-i), only(i == 0, ",")))
			return
		}
		s.add(text)
	}
}

func (s *summary) excluded(r *rank.Trace) {
	var l []string
	for i := range r.Candidates {
		if c := &r.Candidates[i]; c.Excluded != "" && c.Target != "" {
			l = append(l, c.Target+":"+string(c.Excluded))
		}
	}
	s.names("excluded", l)
}

// reason says what put the first member of the outermost routing first, and by how much it leads the next that is
// compared by the same; empty where nothing is compared.
func reason(r *rank.Trace) (why, margin string) {
	first, second := leaders(r)
	if first == nil {
		return "", ""
	}
	switch {
	case first.Probe:
		return "probe", ""
	case first.Sticks:
		return "session", ""
	case first.Explored:
		return "exploration", ""
	case fellBack(r):
		return "fallback", ""
	case second == nil:
		return "only_one", ""
	case first.Priority != second.Priority:
		return "priority", ""
	case first.Class != second.Class:
		return "class_" + first.Class, ""
	case len(first.Demoted) == 0 && len(second.Demoted) > 0:
		return "preference", ""
	}
	for _, by := range []struct {
		why string
		of  func(*rank.Candidate) *float64
	}{
		{"price", func(c *rank.Candidate) *float64 { return c.Price }},
		{"load", func(c *rank.Candidate) *float64 { return c.Load }},
		{"hash", func(c *rank.Candidate) *float64 { return c.HashScore }},
		{"turn", func(c *rank.Candidate) *float64 { return c.Turn }},
		{"expected_time", func(c *rank.Candidate) *float64 { return c.Score }},
		{"total", func(c *rank.Candidate) *float64 { return c.Total }},
		{"similarity", similarity},
	} {
		if a := by.of(first); a != nil {
			return by.why, lead(by.why, a, by.of(second))
		}
	}
	return "declared_order", ""
}

func similarity(c *rank.Candidate) *float64 {
	if c.Semantic == nil {
		return nil
	}
	return c.Semantic.Score
}

// fellBack reports whether the outermost routing serves by its fallback, since the prompt is like nobody's examples or
// could not be compared.
func fellBack(r *rank.Trace) bool {
	return len(r.Tiers) > 0 && r.Tiers[0].Semantic != nil && r.Tiers[0].Semantic.Fallback
}

// leaders returns the first two members of the outermost routing, nil if there are not as many.
func leaders(r *rank.Trace) (first, second *rank.Candidate) {
	for i := range r.Candidates {
		c := &r.Candidates[i]
		if c.Position == 0 || len(c.Path) != 1 {
			continue
		}
		switch {
		case first == nil || c.Position < first.Position:
			first, second = c, first
		case second == nil || c.Position < second.Position:
			second = c
		}
	}
	return first, second
}

// lead is how far a value is from the next one, as a share of it. A turn or a hash leads by no amount that means anything.
func lead(why string, a, b *float64) string {
	if b == nil || why == "hash" || why == "turn" {
		return ""
	}
	far := math.Abs(*b-*a) / max(math.Abs(*a), math.SmallestNonzeroFloat64)
	if math.IsInf(far, 0) || math.IsNaN(far) {
		return ""
	}
	return strconv.FormatFloat(100*far, 'f', 0, 64) + "%"
}
