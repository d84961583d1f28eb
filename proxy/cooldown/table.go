package cooldown

import (
	"maps"
	"sync"
	"time"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/signal"
)

// probeLimit frees a half-open target whose probe never reported: longer than any sane first token.
const probeLimit = 2 * time.Minute

// Sharer passes this node's cooldowns on to the fleet and knows those of the other nodes.
type Sharer interface {
	Cool(k signal.Key, until, now time.Time)
	Warm(k signal.Key)
	// Cooling returns the longest remaining cooldown that any node has set; 0 when none has.
	Cooling(k signal.Key, now time.Time) time.Duration
}

// Table holds the targets and credentials that have failed lately on this node.
type Table struct {
	sharer Sharer

	mu      sync.RWMutex
	targets map[signal.Key]*entry
	parked  map[string]time.Time     // credential key → until
	sick    map[signal.Key]time.Time // failed its health checks → until
}

// entry exists from a target's first failure to its next clean success.
type entry struct {
	failures  int       // in a row
	streak    int       // cooldowns in a row
	halfOpen  bool      // set aside, or was and nothing has proved it since
	since     time.Time // start of the last cooldown
	until     time.Time // and its end; zero before the first, and for one that a peer has set
	probeEnds time.Time // a probe is under way until then
}

// New returns an empty table.
func New(s Sharer) *Table {
	return &Table{sharer: s, targets: map[signal.Key]*entry{}, parked: map[string]time.Time{}, sick: map[signal.Key]time.Time{}}
}

// Standing is what a target may be used for.
type Standing struct {
	// Remaining is how long the target stays set aside; 0 when it is ready or half-open.
	Remaining time.Duration
	// HalfOpen: its cooldown is over but nothing has proved it since. One request should Claim it.
	HalfOpen bool
}

// Ready reports whether the target may be used by anyone.
func (s Standing) Ready() bool { return s.Remaining == 0 && !s.HalfOpen }

// Standing returns the target's standing, its credential's included.
func (t *Table) Standing(target *core.Target, now time.Time) Standing {
	shared := t.sharer.Cooling(target.Signal, now)
	s, known := t.standing(target, shared, now)
	if shared > 0 && !known {
		t.remember(target.Signal, now)
	}
	return s
}

// standing also reports whether the target's cooldown is known here already.
func (t *Table) standing(target *core.Target, remaining time.Duration, now time.Time) (s Standing, known bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if until, sick := t.sick[target.Signal]; sick {
		remaining = max(remaining, until.Sub(now))
	}
	if until, parked := t.parked[target.Upstream.Credential.Key]; parked {
		remaining = max(remaining, until.Sub(now))
	}
	e := t.targets[target.Signal]
	if e == nil || !e.halfOpen {
		return Standing{Remaining: remaining}, false
	}
	if remaining = max(remaining, e.until.Sub(now)); remaining > 0 {
		return Standing{Remaining: remaining}, true
	}
	if now.Before(e.probeEnds) { // someone else is finding out
		return Standing{Remaining: e.probeEnds.Sub(now)}, true
	}
	return Standing{HalfOpen: true}, true
}

// remember keeps in mind that a peer has set the target aside: when that is over, one request of this node
// finds out, and not all of them.
func (t *Table) remember(k signal.Key, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := t.entryLocked(k)
	if !e.halfOpen {
		e.halfOpen, e.since = true, now
	}
}

func (t *Table) entryLocked(k signal.Key) *entry {
	e := t.targets[k]
	if e == nil {
		e = &entry{}
		t.targets[k] = e
	}
	return e
}

// Claim takes the one probe of a half-open target; false when another request holds it, or when the
// target cools. Whoever got true ends it by Prove, Succeed, Fail or Release.
func (t *Table) Claim(k signal.Key, now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := t.targets[k]
	if e == nil {
		return true
	}
	if now.Before(e.probeEnds) || now.Before(e.until) {
		return false
	}
	e.probeEnds = now.Add(probeLimit)
	return true
}

// Release gives a claimed probe back without a verdict: the client left, or the upstream found fault with
// the request itself.
func (t *Table) Release(k signal.Key) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if e := t.targets[k]; e != nil {
		e.probeEnds = time.Time{}
	}
}

// Prove makes a half-open target ready: an answer to an attempt that began then has begun to come. Should it
// break, it counts as a failure in a row with those before.
func (t *Table) Prove(target *core.Target, began time.Time) {
	t.prove(target, began, func(e *entry) {
		e.halfOpen, e.until, e.probeEnds = false, time.Time{}, time.Time{}
	})
}

// Succeed forgets every failure of the target and of its credential: a whole answer has come. An attempt that
// began before the target was set aside proves nothing about now.
func (t *Table) Succeed(target *core.Target, began time.Time) {
	t.prove(target, began, func(*entry) { delete(t.targets, target.Signal) })
}

func (t *Table) prove(target *core.Target, began time.Time, change func(*entry)) {
	if t.healthy(target) {
		return
	}
	t.mu.Lock()
	if e := t.targets[target.Signal]; e != nil {
		if began.Before(e.since) {
			t.mu.Unlock()
			return
		}
		change(e)
	}
	delete(t.parked, target.Upstream.Credential.Key)
	delete(t.sick, target.Signal)
	t.mu.Unlock()
	t.sharer.Warm(target.Signal)
}

// healthy reports whether there is nothing to forget: the usual case, which takes no write lock.
func (t *Table) healthy(target *core.Target) bool {
	t.mu.RLock()
	defer t.mu.RUnlock()
	_, parked := t.parked[target.Upstream.Credential.Key]
	_, sick := t.sick[target.Signal]
	return t.targets[target.Signal] == nil && !parked && !sick
}

// Sicken sets the target aside until then, because it fails its health checks.
func (t *Table) Sicken(k signal.Key, until, now time.Time) {
	t.mu.Lock()
	t.sick[k] = until
	t.mu.Unlock()
	t.sharer.Cool(k, until, now)
}

// Heal ends what Sicken began and reports whether there was anything to end; a cooldown that requests have
// caused stays.
func (t *Table) Heal(k signal.Key, now time.Time) bool {
	t.mu.Lock()
	_, sick := t.sick[k]
	delete(t.sick, k)
	var cooling time.Time
	if e := t.targets[k]; e != nil && e.until.After(now) {
		cooling = e.until
	} else if e != nil && e.streak == 0 && e.failures == 0 {
		delete(t.targets, k) // only remembered because of the checks
	}
	t.mu.Unlock()
	if !sick {
		return false
	}
	t.sharer.Warm(k)
	if !cooling.IsZero() {
		t.sharer.Cool(k, cooling, now)
	}
	return true
}

// Fault is a failure in so far as cooldowns care.
type Fault struct {
	// AtOnce starts a cooldown whatever the number of failures: the upstream said that it will not serve.
	AtOnce bool
	// RetryAfter is what the upstream asked for; 0 when it did not.
	RetryAfter time.Duration
	// Credential parks the credential, and so every target that uses it.
	Credential bool
}

// Fail counts a failure of an attempt that began then and returns how long the target is set aside from now, 0
// when it is not. A target that cools, or cooled since the attempt began, is not punished twice for one burst,
// but a longer RetryAfter extends its cooldown.
func (t *Table) Fail(target *core.Target, f Fault, began, now time.Time) time.Duration {
	policy := target.Cooldown
	if policy.Duration == 0 {
		t.Release(target.Signal)
		return 0
	}
	t.mu.Lock()
	e := t.entryLocked(target.Signal)
	length := e.fail(policy, f, began, now)
	if f.Credential {
		t.parked[target.Upstream.Credential.Key] = now.Add(max(length, e.until.Sub(now)))
	}
	until := e.until
	t.mu.Unlock()
	if length > 0 {
		t.sharer.Cool(target.Signal, until, now)
	}
	return length
}

func (e *entry) fail(policy core.CooldownPolicy, f Fault, began, now time.Time) time.Duration {
	asked := min(f.RetryAfter, policy.Max)
	if began.Before(e.since) || e.until.After(now) {
		if asked == 0 || asked <= e.until.Sub(now) {
			return 0
		}
		e.halfOpen, e.until = true, now.Add(asked)
		return asked
	}
	e.probeEnds = time.Time{}
	e.failures++
	if !e.halfOpen && !f.AtOnce && f.RetryAfter == 0 && e.failures < policy.Failures {
		return 0
	}
	length := asked
	if length == 0 {
		length = backoff(policy, e.streak)
	}
	e.streak++
	e.failures = 0
	e.halfOpen, e.since, e.until = true, now, now.Add(length)
	return length
}

// backoff doubles the first cooldown for each one that came before in a row.
func backoff(policy core.CooldownPolicy, streak int) time.Duration {
	length := policy.Duration
	for range streak {
		if length >= policy.Max/2 {
			return policy.Max
		}
		length *= 2
	}
	return min(length, policy.Max)
}

// Forget drops the targets for which keep is false.
func (t *Table) Forget(keep func(signal.Key) bool, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	drop := func(k signal.Key) bool { return !keep(k) }
	maps.DeleteFunc(t.targets, func(k signal.Key, _ *entry) bool { return drop(k) })
	maps.DeleteFunc(t.sick, func(k signal.Key, _ time.Time) bool { return drop(k) })
	for credential, until := range t.parked {
		if !now.Before(until) {
			delete(t.parked, credential)
		}
	}
}
