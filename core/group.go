package core

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Defaults of a routing. Retries: one, since clients' SDKs retry too and layers multiply.
// Deadline: the longest answer that vendors allow.
const (
	DefaultRetries  = 1
	DefaultDeadline = 10 * time.Minute
)

// MaxDepth is how many routings may be nested in one another.
const MaxDepth = 4

// MaxLeaves is how many targets a routing may have, those of the routings in it included: every request ranks
// them all.
const MaxLeaves = 1024

// soleGroup is what a client gets that names a model directly. It has no deadline of its own: the model's timeouts
// bound each attempt, and zero there means none. It serves whatever tags are asked for: its caller has chosen already.
func soleGroup(t *Target) *Group {
	return &Group{
		ID: t.Model, Strategy: StrategyFailover, Members: []Member{{Target: t, Weight: 1, Tags: []string{TagDefault}}}, Leaves: 1,
		Kinds: []ProviderKind{t.Upstream.Kind}, Retries: DefaultRetries, MaxFallbacks: -1, WhenAllUnavailable: UnavailableTryAnyway,
	}
}

// routing compiles one routing and, before it, those nested in it. path holds the routings around it.
func (c *compiler) routing(id string, path []string) *Group {
	if g, done := c.routings[id]; done {
		return g
	}
	r := c.doc.Routings[id]
	k := c.check(r.Ref())
	_, taken := c.doc.Models[id]
	k.require(!taken, "/id", "unique", "a model has the same id; models and routings share one namespace")
	k.routingSettings(r)
	members := c.members(r, append(path, id))
	if _, inCycle := c.routings[id]; inCycle {
		return nil
	}
	k.require(len(members) > 0, "/targets", "targets", "no target can be served")
	k.require(len(members) == 0 || slices.ContainsFunc(members, weighs), "/targets", "weights", "at least one weight must be above 0")
	c.routings[id] = nil
	g := newGroup(r, members)
	g.Latency = k.latency(r)
	g.Semantic = k.semantic(r, members)
	g.Embeddings = k.oneEmbedding(g.Semantic, members)
	g.Score = k.score(r)
	if g.Score != nil {
		g.ByCost = g.ByCost || g.Score.ByCost()
		g.ByQuota = g.ByQuota || g.Score.ByQuota()
		g.Details |= g.Score.Details()
	}
	g.HashOn = k.shared(k.hashOn(r.HashOn, "/hash_on"), members, "hash_on", func(g *Group) *HashOn { return g.HashOn })
	g.StickyOn = k.shared(k.hashOn(r.StickyOn, "/sticky_on"), members, "sticky_on", func(g *Group) *HashOn { return g.StickyOn })
	k.require(g.Leaves <= MaxLeaves, "/targets", "leaves", fmt.Sprintf("the routing has %d targets, those of the routings in it included; at most %d are allowed", g.Leaves, MaxLeaves))
	if k.ok {
		c.routings[id], c.groups[id] = g, g
	}
	return c.routings[id]
}

func (k *checker) routingSettings(r *Routing) {
	k.strategy(r)
	switch r.WhenAllUnavailable {
	case "", UnavailableFail, UnavailableTryAnyway:
	default:
		k.require(false, "/when_all_unavailable", "enum", `when_all_unavailable must be "fail" or "try_anyway"`)
	}
	k.require(valueOr(r.Retries, 0) >= 0, "/retries", "minimum", "retries must not be negative")
	k.require(valueOr(r.MaxFallbacks, 0) >= 0, "/max_fallbacks", "minimum", "max_fallbacks must not be negative")
	for i, s := range r.FallbackOnStatuses {
		k.require(s >= 400 && s <= 499, "/fallback_on_statuses/"+strconv.Itoa(i), "range", "only 4xx can be listed: 5xx always falls back")
	}
}

// strategy checks that the strategy exists and that the keys that it works with are there, and no others.
func (k *checker) strategy(r *Routing) {
	if !slices.Contains(Strategies(), r.Strategy) {
		k.require(false, "/strategy", "enum", fmt.Sprintf("strategy must be one of %q", Strategies()))
		return
	}
	hashes := r.Strategy == StrategyConsistentHash
	k.require(!hashes || r.HashOn != nil, "/hash_on", "required", `strategy "consistent_hash" needs hash_on`)
	k.require(hashes || r.HashOn == nil, "/hash_on", "strategy", `hash_on belongs to strategy "consistent_hash"`)
	sticks := r.Strategy == StrategyLeastLatency || r.Strategy == StrategyLeastBusy
	k.require(sticks || r.StickyOn == nil, "/sticky_on", "strategy", `sticky_on belongs to strategies "least_latency" and "least_busy"`)
	matches := r.Strategy == StrategySemantic
	k.require(!matches || r.Semantic != nil, "/semantic", "required", `strategy "semantic" needs semantic`)
	k.require(matches || r.Semantic == nil, "/semantic", "strategy", `semantic belongs to strategy "semantic"`)
	k.require(r.Strategy == StrategyScored || r.Profile == "", "/profile", "strategy", `profile belongs to strategy "scored"`)
}

// members resolves the targets of r. A target that cannot be served is left out with a degrading fault.
func (c *compiler) members(r *Routing, path []string) []Member {
	var out []Member
	seen := make(map[string]bool, len(r.Targets))
	for i, t := range r.Targets {
		pointer := targetPointer(i, "model")
		if seen[t.Model] {
			c.fault(r.Ref(), SeverityDegrade, pointer, "unique", strconv.Quote(t.Model)+" is a target of this routing already")
			continue
		}
		seen[t.Model] = true
		m, sound := c.choice(r, i)
		if !sound {
			continue
		}
		var problem string
		m.Target, m.Group, problem = c.member(t.Model, path)
		if problem != "" {
			c.fault(r.Ref(), SeverityDegrade, pointer, "reference", problem)
			continue
		}
		if m.Target != nil || m.Group != nil {
			out = append(out, m)
		}
	}
	return out
}

// choice returns the target of that index as a member without what it leads to; false, with a degrading fault, if it
// cannot be served.
func (c *compiler) choice(r *Routing, i int) (Member, bool) {
	t := r.Targets[i]
	m := Member{Weight: valueOr(t.Weight, 1), Priority: t.Priority}
	if m.Weight < 0 {
		c.fault(r.Ref(), SeverityDegrade, targetPointer(i, "weight"), "minimum", "weight must not be negative")
		return m, false
	}
	bad := -1
	if m.Tags, bad = tags(t.Tags); bad >= 0 {
		c.fault(r.Ref(), SeverityDegrade, targetPointer(i, "tags/"+strconv.Itoa(bad)), "tag", strconv.Quote(t.Tags[bad])+" is not a tag")
		return m, false
	}
	sound := c.match(r, i, &m)
	return m, sound
}

// member finds the target or group called name. All three results are empty when name closes a cycle,
// which has been reported by then.
func (c *compiler) member(name string, path []string) (*Target, *Group, string) {
	if t := c.targets[name]; t != nil {
		return t, nil, ""
	}
	if _, stored := c.doc.Models[name]; stored {
		return nil, nil, "model " + strconv.Quote(name) + " cannot be served"
	}
	if _, stored := c.doc.Routings[name]; !stored {
		return nil, nil, "no model or routing is called " + strconv.Quote(name)
	}
	if at := slices.Index(path, name); at >= 0 {
		c.cycle(path[at:])
		return nil, nil, ""
	}
	g := c.routing(name, path)
	if _, inCycle := c.routings[path[len(path)-1]]; inCycle {
		return nil, nil, ""
	}
	if g == nil {
		return nil, nil, "routing " + strconv.Quote(name) + " cannot be served"
	}
	if g.Depth >= MaxDepth {
		return nil, nil, fmt.Sprintf("routings nest deeper than %d: %q is %d deep already", MaxDepth, name, g.Depth)
	}
	return nil, g, ""
}

// cycle rejects every routing of the ring.
func (c *compiler) cycle(ring []string) {
	shown := strings.Join(append(slices.Clone(ring), ring[0]), " → ")
	for i, id := range ring {
		if _, done := c.routings[id]; done {
			continue
		}
		c.routings[id] = nil
		next := ring[(i+1)%len(ring)]
		at := slices.IndexFunc(c.doc.Routings[id].Targets, func(t RoutingTarget) bool { return t.Model == next })
		c.fault(Ref{KindRouting, id}, SeverityReject, targetPointer(at, "model"), "cycle", "routings refer to each other in a cycle: "+shown)
	}
}

func weighs(m Member) bool { return m.Weight > 0 }

func newGroup(r *Routing, members []Member) *Group {
	g := &Group{
		ID: r.ID, Strategy: r.Strategy, Members: members, ByCost: r.Strategy == StrategyLeastCost,
		Retries:            valueOr(r.Retries, DefaultRetries),
		MaxFallbacks:       valueOr(r.MaxFallbacks, -1),
		RetryOn429:         r.RetryOn429,
		FallbackOnStatuses: slices.Sorted(slices.Values(r.FallbackOnStatuses)),
		WhenAllUnavailable: r.WhenAllUnavailable,
		Deadline:           time.Duration(valueOr(r.Deadline, Duration(DefaultDeadline))),
		Timeouts:           r.Timeouts,
	}
	if g.WhenAllUnavailable == "" {
		g.WhenAllUnavailable = UnavailableTryAnyway
	}
	for _, m := range members {
		g.Tagged = g.Tagged || len(m.Tags) > 0 || (m.Group != nil && m.Group.Tagged)
		g.ByCost = g.ByCost || (m.Group != nil && m.Group.ByCost)
		if m.Group == nil {
			g.Leaves++
			g.Kinds = append(g.Kinds, m.Target.Upstream.Kind)
			g.Windowed = g.Windowed || m.Target.ContextWindow > 0
			continue
		}
		g.ByQuota = g.ByQuota || m.Group.ByQuota
		g.Windowed = g.Windowed || m.Group.Windowed
		g.Details |= m.Group.Details
		g.Kinds = append(g.Kinds, m.Group.Kinds...)
		g.Leaves += m.Group.Leaves
		g.Depth = max(g.Depth, m.Group.Depth)
	}
	slices.Sort(g.Kinds)
	g.Kinds = slices.Compact(g.Kinds)
	g.Depth++
	return g
}
