package core

import (
	"cmp"
	"fmt"
	"strconv"
	"time"

	"github.com/sluice-gateway/sluice/core/signal"
)

// Defaults of a target. Connect: a host that does not answer in 5 s will not in time for a person.
// FirstToken and Idle: long prompts and reasoning pauses stay under a minute on every public API.
// Attempt: the longest answers that vendors allow.
const (
	DefaultConnectTimeout    = 5 * time.Second
	DefaultFirstTokenTimeout = 60 * time.Second
	DefaultIdleTimeout       = 60 * time.Second
	DefaultAttemptTimeout    = 10 * time.Minute

	DefaultCooldownFailures = 3
	DefaultCooldown         = 10 * time.Second
	DefaultCooldownMax      = 5 * time.Minute
)

func (c *compiler) model(m *Model) {
	k := c.check(m.Ref())
	u := c.upstreams[m.Provider]
	if _, stored := c.doc.Providers[m.Provider]; stored {
		k.require(u != nil, "/provider", "reference", "provider "+strconv.Quote(m.Provider)+" cannot be served")
	} else {
		k.require(false, "/provider", "reference", "provider "+strconv.Quote(m.Provider)+" does not exist")
	}
	k.require(m.UpstreamModel != "", "/upstream_model", "required", "upstream_model must name the provider's model")
	k.require(m.Cooldown == nil || m.Cooldown.Failures == nil || *m.Cooldown.Failures >= 1, "/cooldown/failures", "minimum", "failures must be at least 1")
	cooldown := cooldownPolicy(m.Cooldown)
	k.require(cooldown.Duration <= 0 || cooldown.Max >= cooldown.Duration, "/cooldown/max", "minimum",
		fmt.Sprintf("max (%v) must not be below duration (%v)", cooldown.Max, cooldown.Duration))
	changes, health := k.parameters(m.Parameters), k.healthCheck(m.HealthCheck)
	k.require(m.Cost == nil || (m.Cost.InputPer1M >= 0 && m.Cost.OutputPer1M >= 0), "/cost", "minimum", "prices must not be negative")
	can := k.capabilities(m.Capabilities)
	k.require(valueOr(m.ContextWindow, 1) >= 1, "/context_window", "minimum", "context_window must be at least 1")
	k.require(valueOr(m.MaxConcurrency, 1) >= 1, "/max_concurrency", "minimum", "max_concurrency must be at least 1")
	if !k.ok {
		return
	}
	t := &Target{
		Model:          m.ID,
		UpstreamModel:  m.UpstreamModel,
		Upstream:       u,
		Signal:         signalKey(u, m.UpstreamModel),
		Limits:         defaultLimits.Over(c.doc.Providers[m.Provider].Timeouts).Over(m.Timeouts),
		Cooldown:       cooldown,
		Changes:        changes,
		Health:         health,
		Capabilities:   can,
		ContextWindow:  valueOr(m.ContextWindow, 0),
		MaxConcurrency: valueOr(m.MaxConcurrency, 0),
	}
	if m.Cost != nil {
		t.Cost, t.Priced = *m.Cost, true
	}
	c.targets[m.ID] = t
	c.groups[m.ID] = soleGroup(t)
}

// signalKey hashes what determines the target's speed.
func signalKey(u *Upstream, upstreamModel string) signal.Key {
	n, err := strconv.ParseUint(digest(string(u.Kind), u.BaseURL.String(), upstreamModel, u.Credential.Key), 16, 64)
	if err != nil {
		panic("core: digest is not hexadecimal: " + err.Error())
	}
	return signal.Key(n)
}

var defaultLimits = Limits{DefaultConnectTimeout, DefaultFirstTokenTimeout, DefaultIdleTimeout, DefaultAttemptTimeout}

func cooldownPolicy(c *Cooldown) CooldownPolicy {
	c = cmp.Or(c, &Cooldown{})
	return CooldownPolicy{
		Failures: valueOr(c.Failures, DefaultCooldownFailures),
		Duration: time.Duration(valueOr(c.Duration, Duration(DefaultCooldown))),
		Max:      time.Duration(valueOr(c.Max, Duration(DefaultCooldownMax))),
	}
}

func valueOr[T any](p *T, fallback T) T {
	if p == nil {
		return fallback
	}
	return *p
}
