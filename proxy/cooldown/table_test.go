package cooldown_test

import (
	"sync"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/signal"
	"github.com/sluice-gateway/sluice/proxy/cooldown"
)

// fleet is what the other nodes would see.
type fleet struct {
	mu    sync.Mutex
	until map[signal.Key]time.Time
}

func (f *fleet) Cool(k signal.Key, until, _ time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.until[k] = until
}

func (f *fleet) Warm(k signal.Key) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.until, k)
}

func (f *fleet) Cooling(k signal.Key, now time.Time) time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	return max(f.until[k].Sub(now), 0)
}

var t0 = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func target(key signal.Key, credential string) *core.Target {
	return &core.Target{
		Model: "m", Signal: key, Upstream: &core.Upstream{Credential: core.Credential{Key: credential}},
		Cooldown: core.CooldownPolicy{Failures: 3, Duration: 10 * time.Second, Max: time.Minute},
	}
}

func newTable() (*cooldown.Table, *fleet) {
	f := &fleet{until: map[signal.Key]time.Time{}}
	return cooldown.New(f), f
}

func TestFailuresInARowStartACooldown(t *testing.T) {
	table, _ := newTable()
	a := target(1, "")
	for i := range 2 {
		if got := table.Fail(a, cooldown.Fault{}, t0, t0); got != 0 {
			t.Fatalf("failure %d cooled for %v", i+1, got)
		}
	}
	if got := table.Fail(a, cooldown.Fault{}, t0, t0); got != 10*time.Second {
		t.Fatalf("third failure cooled for %v, want 10s", got)
	}
	if s := table.Standing(a, t0.Add(9*time.Second)); s.Remaining != time.Second {
		t.Errorf("standing %+v, want 1s remaining", s)
	}
}

func TestASuccessBreaksTheRow(t *testing.T) {
	table, _ := newTable()
	a := target(1, "")
	table.Fail(a, cooldown.Fault{}, t0, t0)
	table.Fail(a, cooldown.Fault{}, t0, t0)
	table.Succeed(a, t0)
	for i := range 2 {
		if got := table.Fail(a, cooldown.Fault{}, t0, t0); got != 0 {
			t.Fatalf("failure %d after a success cooled for %v", i+1, got)
		}
	}
}

func TestABurstMakesOneCooldown(t *testing.T) {
	table, _ := newTable()
	a := target(1, "")
	started := 0
	for range 50 {
		if table.Fail(a, cooldown.Fault{}, t0, t0) > 0 {
			started++
		}
	}
	if started != 1 {
		t.Errorf("50 parallel failures started %d cooldowns, want 1", started)
	}
	if s := table.Standing(a, t0.Add(10*time.Second)); s.Remaining != 0 || !s.HalfOpen {
		t.Errorf("standing after one cooldown %+v, want half-open", s)
	}
}

func TestRetryAfterDecidesTheLengthUpToTheCap(t *testing.T) {
	for _, c := range []struct {
		name  string
		fault cooldown.Fault
		want  time.Duration
	}{
		{"429 without Retry-After", cooldown.Fault{AtOnce: true}, 10 * time.Second},
		{"429 with a short Retry-After", cooldown.Fault{AtOnce: true, RetryAfter: time.Second}, time.Second},
		{"503 with Retry-After", cooldown.Fault{RetryAfter: 20 * time.Second}, 20 * time.Second},
		{"Retry-After over the cap", cooldown.Fault{AtOnce: true, RetryAfter: time.Hour}, time.Minute},
	} {
		table, f := newTable()
		if got := table.Fail(target(1, ""), c.fault, t0, t0); got != c.want {
			t.Errorf("%s: cooled for %v, want %v", c.name, got, c.want)
		}
		if got := f.Cooling(1, t0); got != c.want {
			t.Errorf("%s: the fleet was told %v, want %v", c.name, got, c.want)
		}
	}
}

func TestALongerRetryAfterExtendsACooldown(t *testing.T) {
	table, _ := newTable()
	a := target(1, "")
	table.Fail(a, cooldown.Fault{AtOnce: true, RetryAfter: 5 * time.Second}, t0, t0)
	table.Fail(a, cooldown.Fault{AtOnce: true, RetryAfter: 30 * time.Second}, t0, t0)
	if s := table.Standing(a, t0); s.Remaining != 30*time.Second {
		t.Errorf("standing %+v, want 30s remaining", s)
	}
}

func TestOneProbeFindsOutAndItsFailureDoublesTheCooldown(t *testing.T) {
	table, _ := newTable()
	a := target(1, "")
	now := t0
	for _, want := range []time.Duration{10, 20, 40, 60, 60} {
		got := table.Fail(a, cooldown.Fault{AtOnce: true}, now, now)
		if got != want*time.Second {
			t.Fatalf("cooled for %v, want %v", got, want*time.Second)
		}
		now = now.Add(got)
		if !table.Standing(a, now).HalfOpen {
			t.Fatalf("not half-open after %v", got)
		}
		if !table.Claim(a.Signal, now) {
			t.Fatal("the first claim was refused")
		}
		if table.Claim(a.Signal, now) {
			t.Fatal("a second claim was granted")
		}
		if s := table.Standing(a, now); s.Ready() || s.HalfOpen {
			t.Fatalf("while probed, standing is %+v, want set aside", s)
		}
	}
	table.Succeed(a, now)
	if s := table.Standing(a, now); !s.Ready() {
		t.Errorf("after the probe succeeded, standing is %+v, want ready", s)
	}
}

func TestAReleasedProbeCanBeClaimedAgain(t *testing.T) {
	table, _ := newTable()
	a := target(1, "")
	now := t0.Add(table.Fail(a, cooldown.Fault{AtOnce: true}, t0, t0))
	table.Claim(a.Signal, now)
	table.Release(a.Signal)
	if !table.Claim(a.Signal, now) {
		t.Error("the claim was refused after a release")
	}
}

func TestAnAnswerToAnOlderAttemptDoesNotEndACooldown(t *testing.T) {
	table, _ := newTable()
	a := target(1, "")
	table.Fail(a, cooldown.Fault{AtOnce: true}, t0, t0)
	table.Succeed(a, t0.Add(-time.Second))
	if s := table.Standing(a, t0); s.Ready() {
		t.Error("a success that began before the 429 ended its cooldown")
	}
}

func TestARefusedCredentialParksEveryTargetThatUsesIt(t *testing.T) {
	table, _ := newTable()
	a, b, other := target(1, "k1"), target(2, "k1"), target(3, "k2")
	table.Fail(a, cooldown.Fault{AtOnce: true, Credential: true}, t0, t0)
	if table.Standing(b, t0).Ready() {
		t.Error("a target with the refused credential is ready")
	}
	if !table.Standing(other, t0).Ready() {
		t.Error("a target with another credential is set aside")
	}
	if !table.Standing(b, t0.Add(10*time.Second)).Ready() {
		t.Error("the credential stays parked after its time")
	}
}

func TestAPeersCooldownCountsHere(t *testing.T) {
	table, f := newTable()
	a := target(1, "")
	f.Cool(a.Signal, t0.Add(7*time.Second), t0)
	if s := table.Standing(a, t0); s.Remaining != 7*time.Second {
		t.Errorf("standing %+v, want 7s remaining", s)
	}
}

func TestDurationZeroNeverCools(t *testing.T) {
	table, _ := newTable()
	a := target(1, "")
	a.Cooldown.Duration = 0
	for range 10 {
		if got := table.Fail(a, cooldown.Fault{AtOnce: true, RetryAfter: time.Hour}, t0, t0); got != 0 {
			t.Fatalf("cooled for %v", got)
		}
	}
}

func TestFailuresOfAttemptsBegunBeforeACooldownDoNotPunishAgain(t *testing.T) {
	table, _ := newTable()
	a := target(1, "")
	now := t0
	for i := range 60 { // one request a second, each of which fails after a minute
		began := t0.Add(time.Duration(i) * time.Second)
		now = began.Add(time.Minute)
		if got := table.Fail(a, cooldown.Fault{}, began, now); (got > 0) != (i == 2) {
			t.Fatalf("failure %d, begun at %v: cooled for %v", i, began.Sub(t0), got)
		}
	}
}

func TestAProbeCannotBeClaimedWhileTheTargetCools(t *testing.T) {
	table, _ := newTable()
	a := target(1, "")
	now := t0.Add(table.Fail(a, cooldown.Fault{AtOnce: true}, t0, t0))
	table.Fail(a, cooldown.Fault{AtOnce: true}, now, now) // the first probe fails: cools for 20s
	if table.Claim(a.Signal, now.Add(time.Second)) {
		t.Error("a request that planned earlier claimed a cooling target")
	}
	if s := table.Standing(a, now.Add(21*time.Second)); !s.HalfOpen {
		t.Errorf("standing %+v, want half-open", s)
	}
}

func TestATargetThatAPeerSetAsideIsTriedByOneRequestFirst(t *testing.T) {
	table, f := newTable()
	a := target(1, "")
	f.Cool(a.Signal, t0.Add(5*time.Second), t0)
	table.Standing(a, t0)
	later := t0.Add(5 * time.Second)
	if s := table.Standing(a, later); !s.HalfOpen {
		t.Errorf("standing %+v, want half-open", s)
	}
	if !table.Claim(a.Signal, later) || table.Claim(a.Signal, later) {
		t.Error("want one claim, and one only")
	}
	table.Succeed(a, later)
	if !table.Standing(a, later).Ready() {
		t.Error("not ready after the probe")
	}
}

func TestAFirstTokenEndsHalfOpenAndTheBreakAfterItCoolsAgainForLonger(t *testing.T) {
	table, _ := newTable()
	a := target(1, "")
	now := t0.Add(table.Fail(a, cooldown.Fault{AtOnce: true}, t0, t0))
	table.Claim(a.Signal, now)
	table.Prove(a, now)
	if !table.Standing(a, now).Ready() {
		t.Error("a target whose first token came is not ready")
	}
	for i := range 3 {
		if got := table.Fail(a, cooldown.Fault{}, now, now); (got == 20*time.Second) != (i == 2) {
			t.Errorf("break %d: cooled for %v", i+1, got)
		}
	}
}

func TestACredentialIsParkedEvenWhileItsTargetCools(t *testing.T) {
	table, _ := newTable()
	a, b := target(1, "k"), target(2, "k")
	table.Fail(a, cooldown.Fault{AtOnce: true}, t0, t0)
	table.Fail(a, cooldown.Fault{AtOnce: true, Credential: true}, t0, t0)
	if table.Standing(b, t0).Ready() {
		t.Error("another target with the refused credential is ready")
	}
}
