package dispatch

import (
	"cmp"
	"log/slog"
	"math"
	"slices"
	"strconv"

	"github.com/sluice-gateway/sluice/core"
)

// Headers of answers that say where the prompt led, and why, for routings that expose it.
const (
	routeHeader  = "X-Ai-Semantic-Route"
	scoresHeader = "X-Ai-Semantic-Scores"
)

// routeFallback is what routeHeader says where no example decided.
const routeFallback = "fallback"

// maxScores bounds the scores in a header or a log in bytes; the lowest are left out. Common limits for a line of a
// head begin at 8 KiB.
const maxScores = 4 << 10

// exposed is what an answer says of the comparison.
type exposed struct{ route, scores string }

// note keeps what the answer says of the comparison, and logs the scores of a prompt that is like nobody's examples.
// lead is the first target of the order; nil: there is none.
func (x *exchange) note(l likeness, lead *core.Target) {
	for i := range l {
		c := &l[i]
		serves := lead != nil && c.leads(lead)
		if serves && !x.dry && c.matches != nil && !c.clears() {
			x.logUnlike(c)
		}
		if !c.group.Semantic.Expose || x.exposed != nil || (lead != nil && !serves) {
			continue
		}
		x.exposed = &exposed{scores: c.scores()}
		if lead != nil {
			x.exposed.route = c.route(lead)
		}
	}
}

// leads reports whether a target is one of the group's.
func (c *compared) leads(lead *core.Target) bool {
	return slices.ContainsFunc(c.group.Members, func(m core.Member) bool { return holds(&m, lead) })
}

func holds(m *core.Member, t *core.Target) bool {
	if m.Group == nil {
		return m.Target == t
	}
	return slices.ContainsFunc(m.Group.Members, func(m core.Member) bool { return holds(&m, t) })
}

// clears reports whether some member cleared its bar, or has no score that could.
func (c *compared) clears() bool {
	scored := false
	for i, m := range c.matches {
		if m.Clears(c.group.Members[i].Threshold) {
			return true
		}
		scored = scored || m.Found()
	}
	return !scored
}

// route returns the member that brought the lead there by its examples, the likest if there are several.
func (c *compared) route(lead *core.Target) string {
	best := -1
	for i, m := range c.matches {
		if m.Clears(c.group.Members[i].Threshold) && (best < 0 || m.Score > c.matches[best].Score) && holds(&c.group.Members[i], lead) {
			best = i
		}
	}
	if best < 0 {
		return routeFallback
	}
	return memberID(&c.group.Members[best])
}

func memberID(m *core.Member) string {
	if m.Group != nil {
		return m.Group.ID
	}
	return m.Target.Model
}

// scores returns "code:0.8213,translate:0.1904": every member with examples, best first; empty if there is no score.
func (c *compared) scores() string {
	order := make([]int, 0, len(c.matches))
	for i, m := range c.matches {
		if m.Found() {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(c.matches[b].Score, c.matches[a].Score) })
	var out []byte
	for _, i := range order {
		end := len(out)
		if end > 0 {
			out = append(out, ',')
		}
		out = append(append(out, memberID(&c.group.Members[i])...), ':')
		out = strconv.AppendFloat(out, math.Round(c.matches[i].Score*1e4)/1e4+0, 'f', 4, 64) // no "-0.0000"
		if len(out) > maxScores {
			return string(out[:end])
		}
	}
	return string(out)
}

func (x *exchange) logUnlike(c *compared) {
	x.d.Logger.LogAttrs(x.ctx, slog.LevelWarn, "prompt is like no target's examples",
		slog.String("request_id", x.call.RequestID), slog.String("routing", c.group.ID), slog.String("scores", c.scores()))
}

// expose puts what there is to say of the comparison into the head of an answer.
func (x *exchange) expose(h map[string][]string) {
	if x.exposed == nil {
		return
	}
	if x.exposed.route != "" {
		h[routeHeader] = []string{x.exposed.route}
	}
	if x.exposed.scores != "" {
		h[scoresHeader] = []string{x.exposed.scores}
	}
}
