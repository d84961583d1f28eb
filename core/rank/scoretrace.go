package rank

import (
	"github.com/sluice-gateway/sluice/core"
)

// ScoreTrace is what a tier of scored has in common. With it and a candidate's dimensions the total can be worked out
// again: the score of latency and of cost is best over raw and at most 1, that of health (raw·samples + health_prior·
// health_prior_samples)/(samples + health_prior_samples), that of quota is raw, and that of priority (places - raw + 1)/places.
type ScoreTrace struct {
	// Profile is the id; none: the defaults.
	Profile string `json:"profile,omitempty"`
	// BestLatency and BestPrice are what scores of latency and cost are measured by.
	BestLatency *float64 `json:"best_expected_s,omitempty"`
	BestPrice   *float64 `json:"best_price_usd,omitempty"`
	// BestKnown is what latencies fade to; Charge is what a failure costs.
	BestKnown float64 `json:"best_known_s"`
	Charge    float64 `json:"failure_charge_s"`
	// MedianPrice and MedianQuota are what is assumed of a target of which they are not known.
	MedianPrice *float64 `json:"median_price_usd,omitempty"`
	MedianQuota *float64 `json:"median_quota,omitempty"`
	// HealthPrior is what success rates are drawn to, and HealthSamples how many attempts that is worth.
	HealthPrior   float64 `json:"health_prior"`
	HealthSamples float64 `json:"health_prior_samples"`
	// Places is how many members the tier declares.
	Places int `json:"places"`
	// Eligible is how many of them have a place in the order.
	Eligible int `json:"eligible"`
	// Leader and RunnerUp are the first two by score, Margin is by how much the leader's total is the higher one, and
	// DecidedBy says what put it first.
	Leader    string   `json:"leader,omitempty"`
	RunnerUp  string   `json:"runner_up,omitempty"`
	Margin    *float64 `json:"margin,omitempty"`
	DecidedBy Decision `json:"decided_by,omitempty"`
	// Exploration is the share of requests that draw their first target, and Explored whom this one has drawn.
	Exploration float64 `json:"exploration"`
	Explored    string  `json:"explored,omitempty"`
}

// Decision says what put the leader of a tier before its runner-up.
type Decision string

// The decisions.
const (
	DecidedAlone       Decision = "alone"       // there is no other
	DecidedByClass     Decision = "class"       // the other is demoted, unmeasured or failing
	DecidedByTotal     Decision = "total"       // its total is higher
	DecidedDeclaration Decision = "declaration" // the totals are equal, and it is declared first
)

// DimensionTrace is one dimension of a candidate's total.
type DimensionTrace struct {
	Dimension string `json:"dimension"`
	// Raw is what is known or assumed, in Unit: s, share, usd or place. Cost is the request's, or a list price per million
	// tokens.
	Raw  *float64 `json:"raw,omitempty"`
	Unit string   `json:"unit"`
	// Source: measured, borrowed from the other class of time, estimated (a price), list (a price), reported by the upstream,
	// declared, or the rule by which the value is imputed: prior, penalize or exclude.
	Source string `json:"source"`
	// Samples is how much a measured value is worth, Age the time since the fleet's last attempt.
	Samples *float64 `json:"samples,omitempty"`
	Age     *float64 `json:"age_s,omitempty"`
	// Imputed: it is not known of the target.
	Imputed bool `json:"imputed"`
	// Contribution is Score, from 0 to 1, times Weight, which is the same for every candidate.
	Score        float64 `json:"score"`
	Weight       float64 `json:"weight"`
	Contribution float64 `json:"contribution"`
}

var dimensionUnits = [core.Dimensions]string{"s", "share", "usd", "share", "place"}

// tellScores tells of a tier whose places are sorted by score.
func (o *ordering) tellScores(t *tier, c *common, y *yardstick) {
	r := o.view.Trace
	if r == nil || len(o.units) == t.base {
		return
	}
	o.tellLeaves(t)
	p := t.group.Score
	s := kept(&r.room.scores, ScoreTrace{
		Profile: p.Profile, BestKnown: c.best, Charge: c.charge, HealthPrior: healthPrior, HealthSamples: healthSamples,
		BestLatency: o.number(y.best[core.DimensionLatency]), BestPrice: o.number(y.best[core.DimensionCost]),
		MedianPrice: o.number(y.prior[core.DimensionCost]), MedianQuota: o.number(y.prior[core.DimensionQuota]),
		Places: y.sum, Exploration: p.Exploration,
	})
	for i := range o.units[t.base:] {
		u := &o.units[t.base+i]
		o.tellAppraisal(&r.Candidates[u.told], u, p, y)
	}
	o.tellDecision(t, s)
	r.Tiers[len(r.Tiers)-1].Scored = s
}

// tellAppraisal tells by what a candidate is judged.
func (o *ordering) tellAppraisal(c *Candidate, u *unit, p *core.ScorePolicy, y *yardstick) {
	l, a := &o.leaves[u.best], &o.appraisals[u.best]
	c.Class, c.Total = l.class.String(), o.number(a.total)
	if u.member.Group != nil {
		c.JudgedBy = l.target.Model
	}
	if a.out != "" {
		c.Eligible, c.Excluded = false, a.out
	}
	for i, name := range demotionNames {
		if a.demoted&(1<<i) != 0 {
			c.Demoted = append(c.Demoted, name)
		}
	}
	e := c.evidence(l.target)
	for d := range core.Dimension(core.Dimensions) {
		x := DimensionTrace{
			Dimension: d.String(), Unit: dimensionUnits[d], Source: o.origin(d, e, a, p), Imputed: !a.known[d],
			Score: a.value[d], Weight: p.Weights[d], Contribution: float64(p.Weights[d] * a.value[d]),
		}
		x.Raw = o.number(a.figure(d, y))
		switch d {
		case core.DimensionLatency:
			x.Samples, x.Age = o.number(l.weight), e.SinceSample
		case core.DimensionHealth:
			x.Samples, x.Age = o.number(a.attempts), e.SinceSample
		}
		c.Dimensions = append(c.Dimensions, x)
	}
}

// evidence returns what is known of the target by which the candidate is judged.
func (c *Candidate) evidence(t *core.Target) *Evidence {
	for i := range c.Evidence {
		if c.Evidence[i].Target == t.Model {
			return &c.Evidence[i]
		}
	}
	return &Evidence{}
}

// figure is the raw value, known or assumed; NaN if there is none.
func (a *appraisal) figure(d core.Dimension, y *yardstick) float64 {
	switch {
	case a.known[d] || d == core.DimensionLatency:
		return a.raw[d]
	case d == core.DimensionHealth:
		return healthPrior
	}
	return y.prior[d]
}

// origin says where a value is from.
func (o *ordering) origin(d core.Dimension, e *Evidence, a *appraisal, p *core.ScorePolicy) string {
	if !a.known[d] {
		return string(p.Missing[d])
	}
	switch d {
	case core.DimensionLatency:
		return e.Source
	case core.DimensionHealth:
		return "measured"
	case core.DimensionCost:
		if o.view.Price == nil {
			return "list"
		}
		return "estimated"
	case core.DimensionQuota:
		return "reported"
	}
	return "declared"
}

// tellDecision tells what put the first place before the second.
func (o *ordering) tellDecision(t *tier, s *ScoreTrace) {
	places := o.places[t.base:]
	for s.Eligible < len(places) && places[s.Eligible].class != out {
		s.Eligible++
	}
	if s.Eligible == 0 {
		return
	}
	s.Leader, s.DecidedBy = o.at(t, 0).name(), DecidedAlone
	if s.Eligible == 1 {
		return
	}
	s.RunnerUp, s.Margin = o.at(t, 1).name(), o.number(places[1].key-places[0].key)
	switch {
	case places[0].class != places[1].class:
		s.DecidedBy = DecidedByClass
	case places[0].key != places[1].key:
		s.DecidedBy = DecidedByTotal
	default:
		s.DecidedBy = DecidedDeclaration
	}
}

// tellExplored tells whom the request has drawn.
func (o *ordering) tellExplored(u *unit) {
	if r := o.view.Trace; r != nil {
		r.Candidates[u.told].Explored = true
		r.Tiers[len(r.Tiers)-1].Scored.Explored = u.name()
	}
}
