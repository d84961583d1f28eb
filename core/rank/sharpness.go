package rank

import (
	"math"

	"github.com/sluice-gateway/sluice/core"
)

// Rule says what settled how sharply a tier prefers its fastest.
type Rule string

// The rules.
const (
	// RuleStrict and RuleBalanced: the routing's selection says so.
	RuleStrict   Rule = "strict"
	RuleBalanced Rule = "balanced"
	// RuleIdle: adaptive, and the fleet has fewer requests in flight than there are targets.
	RuleIdle Rule = "idle"
	// RuleElastic: adaptive, and nothing shows that the fastest slows down under load.
	RuleElastic Rule = "elastic"
	// RuleQueues: adaptive, and the fastest slows down under load.
	RuleQueues Rule = "queues"
)

// Parameters of adaptive.
const (
	// idleLoad is the requests in flight per target below which none can be queueing because of the others.
	idleLoad = 1.0
	// gentle is the elasticity up to which a target counts as one that scales with its load, and from which on
	// the sharpness falls in proportion.
	gentle = 0.1
	// confidence is how many standard errors an elasticity must be above zero to count.
	confidence = 2.0
)

// sharpness returns the power K of a tier's draw, infinite where the order is strict, the rule that settled it
// and the leaf whose elasticity did, if any.
func sharpness(p *core.LatencyPolicy, leaves []leaf, mean float64) (k float64, why Rule, leader *leaf) {
	switch {
	case p.Selection == core.SelectionBalanced:
		return p.Sharpness, RuleBalanced, nil
	case p.Selection != core.SelectionAdaptive:
		return math.Inf(1), RuleStrict, nil
	case mean < idleLoad:
		return math.Inf(1), RuleIdle, nil
	}
	leader = fastest(leaves)
	if leader == nil {
		return math.Inf(1), RuleElastic, nil
	}
	shown := leader.elasticity - confidence*leader.doubt
	if !(shown > 0) {
		return math.Inf(1), RuleElastic, leader
	}
	return max(p.Sharpness, p.Sharpness*gentle/shown), RuleQueues, leader
}

// fastest returns the leaf with the least expected time to an answer of those that serve, or nil.
func fastest(leaves []leaf) (least *leaf) {
	for i := range leaves {
		if l := &leaves[i]; l.serves() && (least == nil || l.expected < least.expected) {
			least = l
		}
	}
	return least
}
