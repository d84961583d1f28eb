package core

import (
	"cmp"
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
	if !k.ok {
		return
	}
	t := &Target{
		Model:         m.ID,
		UpstreamModel: m.UpstreamModel,
		Upstream:      u,
		Signal:        signalKey(u, m.UpstreamModel),
		Limits:        limits(m.Timeouts, c.doc.Providers[m.Provider].Timeouts),
		Cooldown:      cooldownPolicy(m.Cooldown),
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

func limits(model, provider *Timeouts) Limits {
	pick := func(field func(*Timeouts) *Duration, fallback time.Duration) time.Duration {
		for _, t := range []*Timeouts{model, provider} {
			if t != nil && field(t) != nil {
				return time.Duration(*field(t))
			}
		}
		return fallback
	}
	return Limits{
		Connect:    pick(func(t *Timeouts) *Duration { return t.Connect }, DefaultConnectTimeout),
		FirstToken: pick(func(t *Timeouts) *Duration { return t.FirstToken }, DefaultFirstTokenTimeout),
		Idle:       pick(func(t *Timeouts) *Duration { return t.Idle }, DefaultIdleTimeout),
		Attempt:    pick(func(t *Timeouts) *Duration { return t.Attempt }, DefaultAttemptTimeout),
	}
}

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
