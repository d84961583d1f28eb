package probe

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/signal"
)

const (
	// look is how often the prober looks for checks that are due; intervals are a second or more.
	look = 250 * time.Millisecond
	// atOnce bounds the checks under way at one time, so that a thousand targets are no burst.
	atOnce = 32
	// asideFor is how many checks a failing target stays set aside without one being done: should the node
	// that checks it die, its word must not last.
	asideFor = 3
)

// Wards are told what the checks find.
type Wards interface {
	Sicken(k signal.Key, until, now time.Time)
	// Heal reports whether the target had been set aside.
	Heal(k signal.Key, now time.Time) bool
}

// Config is what a Prober works with.
type Config struct {
	// Targets returns the targets of the current snapshot.
	Targets func() []*core.Target
	// Owns reports whether this node is the one of the fleet that checks a target.
	Owns func(k signal.Key) bool
	// Transport returns the connection pool of an upstream.
	Transport func(*core.Upstream) http.RoundTripper
	Wards     Wards
	// Changed is called when a target was set aside or is back: news for the fleet.
	Changed   func()
	UserAgent string
	Logger    *slog.Logger
}

// Prober checks targets.
type Prober struct {
	cfg   Config
	slots chan struct{}

	mu     sync.Mutex
	checks map[signal.Key]*check
}

// check is the state of one target's checks on this node.
type check struct {
	due      time.Time
	running  bool
	failures int // in a row
}

// New returns a Prober.
func New(cfg Config) *Prober {
	return &Prober{cfg: cfg, slots: make(chan struct{}, atOnce), checks: map[signal.Key]*check{}}
}

// Run checks until ctx ends and waits for the checks that are under way.
func (p *Prober) Run(ctx context.Context) error {
	tick := time.NewTicker(look)
	defer tick.Stop()
	var running sync.WaitGroup
	defer running.Wait()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		for _, target := range p.due(time.Now()) {
			select {
			case <-ctx.Done():
				return nil
			case p.slots <- struct{}{}:
			}
			running.Go(func() {
				defer func() { <-p.slots }()
				p.check(ctx, target)
			})
		}
	}
}

// due returns the targets whose check is due on this node, and forgets those that are gone or that another
// node has taken over.
func (p *Prober) due(now time.Time) []*core.Target {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []*core.Target
	mine := map[signal.Key]*check{}
	for _, target := range p.cfg.Targets() {
		key := target.Signal
		if target.Health == nil || mine[key] != nil || !p.cfg.Owns(key) {
			continue
		}
		c := p.checks[key]
		if c == nil {
			c = &check{due: now}
		}
		mine[key] = c
		if !c.running && !now.Before(c.due) {
			c.running, c.due = true, now.Add(target.Health.Interval)
			out = append(out, target)
		}
	}
	p.checks = mine
	return out
}

// check asks once and draws the consequences.
func (p *Prober) check(ctx context.Context, target *core.Target) {
	err := p.ask(ctx, target)
	if ctx.Err() != nil {
		return
	}
	now := time.Now()
	failures := p.note(target.Signal, err)
	switch {
	case err == nil:
		if p.cfg.Wards.Heal(target.Signal, now) {
			p.cfg.Logger.Info("target passes its health checks again", "target", target.Model)
			p.cfg.Changed()
		}
	case failures >= target.Health.Failures:
		p.cfg.Wards.Sicken(target.Signal, now.Add(aside(target.Health)), now)
	}
	if failures == target.Health.Failures {
		p.cfg.Logger.Warn("target fails its health checks", "target", target.Model, "failures", failures, "error", err)
		p.cfg.Changed()
	}
}

// aside is how long a failed check counts. The next check begins after an interval, or once the one before
// has ended where that takes longer, and takes up to the timeout itself.
func aside(h *core.HealthPolicy) time.Duration {
	return asideFor*max(h.Interval, h.Timeout) + h.Timeout
}

// note records the outcome and returns the failures in a row, this one included.
func (p *Prober) note(k signal.Key, err error) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.checks[k]
	if c == nil { // gone meanwhile
		return 0
	}
	c.running = false
	c.failures++
	if err == nil {
		c.failures = 0
	}
	return c.failures
}
