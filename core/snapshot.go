package core

import (
	"crypto/sha256"
	"net/url"
	"path"
	"slices"
	"time"

	"github.com/sluice-gateway/sluice/core/signal"
)

// Snapshot is a document compiled for serving. It never changes.
type Snapshot struct {
	groups  map[string]*Group
	callers map[[sha256.Size]byte]*Caller
	names   []string
	targets []*Target
}

// Group returns the compiled routing of that name; a direct model is a group of one.
func (s *Snapshot) Group(name string) (*Group, bool) {
	g, ok := s.groups[name]
	return g, ok
}

// Caller returns the caller whose key has that SHA-256.
func (s *Snapshot) Caller(sum [sha256.Size]byte) (*Caller, bool) {
	c, ok := s.callers[sum]
	return c, ok
}

// Names returns what a client may put in "model", sorted. The caller must not change the slice.
func (s *Snapshot) Names() []string { return s.names }

// Targets returns every compiled model, sorted by name. The caller must not change the slice.
func (s *Snapshot) Targets() []*Target { return s.targets }

// Details returns what is to be measured of which targets in detail: what the groups around them look at.
func (s *Snapshot) Details() map[signal.Key]signal.Detail {
	all := map[signal.Key]signal.Detail{}
	for _, g := range s.groups {
		if g.Score != nil && g.Score.Details() != 0 {
			g.detail(g.Score.Details(), all)
		}
	}
	return all
}

// detail notes what is to be measured of every target of the group and of those below.
func (g *Group) detail(d signal.Detail, all map[signal.Key]signal.Detail) {
	for _, m := range g.Members {
		if m.Group != nil {
			m.Group.detail(d, all)
			continue
		}
		all[m.Target.Signal] |= d
	}
}

// Group is a compiled routing: its members in declaration order and the rules for walking them.
type Group struct {
	ID       string
	Strategy Strategy
	Members  []Member
	// Leaves is how many targets Order can yield at the most, nested groups included.
	Leaves int
	// Depth is how many groups are nested in one another here: 1 for a routing over models, 0 for a model.
	Depth              int
	Retries            int
	MaxFallbacks       int // -1: no cap
	RetryOn429         bool
	FallbackOnStatuses []int // sorted
	WhenAllUnavailable WhenAllUnavailable
	Deadline           time.Duration // 0: none
	Timeouts           *Timeouts     // over those of the targets; nil: none of its own
	// Kinds are the kinds of upstream of its targets, those of the groups below included, each once.
	Kinds []ProviderKind
	// Tagged: some member, here or in a group below, bears tags.
	Tagged bool
	// ByCost: the order, here or in a group below, depends on prices: that of least_cost, and of a scored group that
	// weighs or limits the cost.
	ByCost bool
	// ByQuota and Details say whether the order, here or in a group below, depends on what is left of rate limits, and on
	// what beyond the estimates of latency.
	ByQuota bool
	// Windowed: a target, here or in a group below, declares its context window. A model that is named directly is not
	// kept from what may not fit: its upstream knows better.
	Windowed bool
	Details  signal.Detail
	Latency  LatencyPolicy // zero unless the strategy is least_latency
	// HashOn is the key of consistent_hash, here or in the groups below; nil: no group here hashes.
	HashOn *HashOn
	// Semantic is nil unless the strategy is semantic.
	Semantic *SemanticPolicy
	// Embeddings is where the prompts of this group and of those below are embedded; nil: none is semantic.
	Embeddings *EmbeddingPolicy
	// Score is nil unless the strategy is scored.
	Score *ScorePolicy
	// StickyOn tells the session, here or in the groups below; nil: no stickiness.
	StickyOn *HashOn
}

// Member is one choice of a group: exactly one of Target and Group is set.
type Member struct {
	Target   *Target
	Group    *Group
	Weight   int
	Priority int
	Tags     []string // sorted; those of the groups around it hold too
	// Examples, of a semantic group; nil: no prompt is like this member.
	Examples []string
	// Threshold is the least cosine of the best example; -Inf: every one clears.
	Threshold float64
	catchall  bool
}

// Target is a compiled model: everything that an attempt needs to know.
type Target struct {
	Model         string
	UpstreamModel string
	Upstream      *Upstream
	Signal        signal.Key
	Limits        Limits
	Cooldown      CooldownPolicy
	Cost          Cost
	Priced        bool // Cost was given; it may be zero then, too
	Capabilities  Capabilities
	// ContextWindow in tokens; 0: not known.
	ContextWindow int
	// MaxConcurrency is how many requests the upstream model serves at once; 0: not known.
	MaxConcurrency int
	// Changes are made to every body on its way to this target.
	Changes []Change
	Health  *HealthPolicy // nil: not checked
}

// Change puts one top-level member into a body, over the caller's own, or takes it out.
type Change struct {
	Name string
	// Value is JSON; nil takes the member out.
	Value []byte
}

// HealthPolicy is a HealthCheck with all defaults applied.
type HealthPolicy struct {
	Path              string
	Interval, Timeout time.Duration
	Failures          int
}

// Limits are the timeouts of one attempt, all defaults applied; zero means none.
type Limits struct {
	Connect, FirstToken, Idle, Attempt time.Duration
}

// Over returns the limits with the fields that t sets in their place; nil sets none.
func (l Limits) Over(t *Timeouts) Limits {
	if t == nil {
		return l
	}
	return Limits{
		Connect:    time.Duration(valueOr(t.Connect, Duration(l.Connect))),
		FirstToken: time.Duration(valueOr(t.FirstToken, Duration(l.FirstToken))),
		Idle:       time.Duration(valueOr(t.Idle, Duration(l.Idle))),
		Attempt:    time.Duration(valueOr(t.Attempt, Duration(l.Attempt))),
	}
}

// CooldownPolicy is a Cooldown with all defaults applied. Duration zero: never cools.
type CooldownPolicy struct {
	Failures      int
	Duration, Max time.Duration
}

// Upstream is a compiled provider.
type Upstream struct {
	ID         string
	Kind       ProviderKind
	BaseURL    *url.URL // without a trailing slash
	APIVersion string   // of azure-openai
	Credential Credential
	Headers    []Header // sorted by name, names canonical
	TLS        *TLS     // nil: system defaults
	// StreamUsage: streams are asked for their token counts.
	StreamUsage bool
	// Pool names the connection pool: upstreams of equal TLS settings share one.
	Pool string
}

// Header is one fixed header of an upstream.
type Header struct{ Name, Value string }

// Credential is what proves the gateway to an upstream. The zero value sends nothing.
type Credential struct {
	// Key identifies the credential without revealing it: two upstreams that send the same secret in the same
	// place to the same host share it.
	Key string
	// Header (canonical) carries Value; or Query names the parameter that does.
	Header, Query string
	// Value is the whole header value, scheme included, or the parameter's value.
	Value Secret
}

// Caller is a compiled API key.
type Caller struct {
	ID       string
	Disabled bool
	// Explain: the caller may see the decision behind an answer.
	Explain   bool
	expiresAt time.Time // zero: never
	globs     []string
}

// Valid reports whether the key may be used at that moment.
func (c *Caller) Valid(now time.Time) bool {
	return !c.Disabled && (c.expiresAt.IsZero() || now.Before(c.expiresAt))
}

// Allows reports whether the caller may use the model or routing of that name.
func (c *Caller) Allows(name string) bool {
	return slices.ContainsFunc(c.globs, func(glob string) bool {
		ok, err := path.Match(glob, name)
		return ok && err == nil
	})
}
