package rank

import (
	"math"
	"slices"
	"time"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/signal"
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
	// RuleUnproved: adaptive, and too little is known to say that the fastest would not slow down under load.
	RuleUnproved Rule = "unproved"
	// RuleElastic: adaptive, and no target slows down under load.
	RuleElastic Rule = "elastic"
	// RuleQueues: adaptive, and a target slows down under load.
	RuleQueues Rule = "queues"
)

// Parameters of adaptive.
const (
	// idleLoad is the requests in flight per target below which none can be queueing because of the others.
	idleLoad = 1.0
	// gentle is the elasticity from which on the sharpness is the configured one; below it rises in proportion.
	gentle = 0.03
	// confidence is how many standard errors an elasticity must be above zero to count.
	confidence = 2.5
	// doubtful is the elasticity that the fastest must be known to stay below for the sharpness to rise above the
	// configured one; likely is how many standard errors of doubt that is judged by, and plain the sharpness from which
	// on the order is strict: what takes a tenth longer would get a share of a three-hundredth.
	doubtful = 0.4
	likely   = 2.0
	plain    = 60.0
)

// News of the load that is older than lateNews makes a sharp choice swing: of the sharpness lateShare is left then, 4
// of 6 (SIGNALS.md §6.8).
const (
	lateNews  = 2 * time.Second
	lateShare = 2.0 / 3
)

// sharpness returns the power K of a tier's draw, infinite where the order is strict, the rule that settled it
// and the leaf whose elasticity did, if any.
func sharpness(p *core.LatencyPolicy, lag time.Duration, leaves []leaf, mean float64) (k float64, why Rule, leader *leaf) {
	k = p.Sharpness
	if lag > lateNews {
		k *= lateShare
	}
	switch {
	case p.Selection == core.SelectionBalanced:
		return k, RuleBalanced, nil
	case p.Selection != core.SelectionAdaptive:
		return math.Inf(1), RuleStrict, nil
	case mean < idleLoad:
		return math.Inf(1), RuleIdle, nil
	}
	if leader = pressed(leaves); leader != nil {
		return sharper(k, gentle/leader.queues()), RuleQueues, leader
	}
	if leader = fastest(leaves); leader != nil {
		if k = sharper(k, doubtful/leader.mayQueue()); k < plain {
			return k, RuleUnproved, leader
		}
	}
	return math.Inf(1), RuleElastic, nil
}

// sharper is k times x, where that is more than k, and a whole number then, for which a draw takes less time.
func sharper(k, x float64) float64 {
	if x > 1 {
		return math.Round(k * x)
	}
	return k
}

// mayQueue is the elasticity that the leaf may have for all that is known: infinite while that is nothing. A fleet that
// took nothing known for no elasticity would send all its traffic to one target when it starts, and remember for
// minutes what that did.
func (l *leaf) mayQueue() float64 { return max(l.elasticity, 0) + likely*l.doubt }

// fastest returns the leaf with the least expected time of those that serve, or nil when none does.
func fastest(leaves []leaf) (least *leaf) {
	for i := range leaves {
		if l := &leaves[i]; l.serves() && (least == nil || l.expected < least.expected) {
			least = l
		}
	}
	return least
}

// queues is the elasticity that the leaf shows beyond doubt: zero where nothing says that it slows down under load.
func (l *leaf) queues() float64 { return max(l.elasticity-confidence*l.doubt, 0) }

// pressed returns the leaf that slows down most under its load of those that serve, or nil when none does. It need
// not be the fastest: that one is not, once it queues.
func pressed(leaves []leaf) (most *leaf) {
	for i := range leaves {
		if l := &leaves[i]; l.serves() && l.queues() > 0 && (most == nil || l.queues() > most.queues()) {
			most = l
		}
	}
	return most
}

// Where the order is strict and some target is well known, an estimate that is not counts as one standard error and
// a half more, twice its worth at most. A few lucky answers must not draw all traffic to a target; they draw one
// request at a time, until they are luck no more.
const (
	wellKnown = 8.0 // samples
	doubted   = 1.5 * signal.Deviation
	maxDoubt  = 1.0
)

// prove gives the leaves the scores by which they are ordered strictly: the expected time to an answer that
// they have proved.
func prove(leaves []leaf) {
	if !slices.ContainsFunc(leaves, func(l leaf) bool { return l.serves() && l.weight >= wellKnown }) {
		return
	}
	for i := range leaves {
		if l := &leaves[i]; l.class == answers {
			l.score = bounded(l.expected * (1 + min(doubted/math.Sqrt(l.weight), maxDoubt)))
		}
	}
}
