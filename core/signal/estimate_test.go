package signal

import (
	"math"
	"runtime"
	"testing"
	"testing/quick"
	"time"
	"weak"
)

func TestEstimateOfAnUnknownKeyIsEmpty(t *testing.T) {
	got := NewBoard().Estimate(1, TTFT, start)
	if want := (Estimate{SinceSample: Never, ElasticityError: math.Inf(1)}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestEqualSamplesGiveThatLatencyWhateverWentBefore(t *testing.T) {
	b := NewBoard()
	b.Succeed(1, TTFT, 10*time.Second, 0, at(0))
	for _, phase := range []struct {
		from, to float64
		latency  float64
	}{{1, 31, 0.05}, {31, 61, 2}, {61, 121, 0.3}} {
		now := phase.from
		for ; now < phase.to; now += 0.1 {
			b.Succeed(1, TTFT, ms(phase.latency*1000), 0, at(now))
		}
		m := b.Estimate(1, TTFT, at(now)).Rungs
		if !near(m[0], phase.latency, 0.01) || !near(m[1], phase.latency, 0.4) {
			t.Errorf("after %v s of samples of %v s: rungs %v, want the fast one there and the middle one near", phase.to-phase.from, phase.latency, m)
		}
	}
}

func TestEqualSamplesAreTheEstimateToTheLastDigits(t *testing.T) {
	property := func(n uint8, millis uint16, gap uint16) bool {
		b, now, want := NewBoard(), start, float64(millis)/1000+0.001
		for range int(n) + 1 {
			now = now.Add(time.Duration(gap) * time.Millisecond)
			b.Succeed(1, Total, time.Duration(want*float64(time.Second)), 0, now)
		}
		return near(b.Estimate(1, Total, now.Add(time.Minute)).Latency, want, 1e-6)
	}
	if err := quick.Check(property, nil); err != nil {
		t.Error(err)
	}
}

func TestSlowerTargetIsBlamedFastAndForgivenSlowly(t *testing.T) {
	b, now := NewBoard(), 0.0
	run := func(latency float64, until func(float64) bool) float64 {
		from := now
		for !until(b.Estimate(1, TTFT, at(now)).Latency) && now < from+600 {
			now += 0.1
			b.Succeed(1, TTFT, ms(latency*1000), 0, at(now))
		}
		return now - from
	}
	run(1, func(float64) bool { return now > 60 })
	if took := run(5, func(l float64) bool { return l > 3 }); took > 4 {
		t.Errorf("five times slower at 10 requests a second: noticed after %.1f s, want at most 4", took)
	}
	worst := now + 60
	run(5, func(float64) bool { return now > worst })
	if took := run(1, func(l float64) bool { return l < 3 }); took < 8 || took > 30 {
		t.Errorf("fast again: forgiven after %.1f s, want between 8 and 30", took)
	}
}

func TestFastFailureNeverMakesATargetLookFast(t *testing.T) {
	b := NewBoard()
	b.Fail(1, TTFT, ms(2), 0, at(0))
	if got := b.Estimate(1, TTFT, at(0)); got.Latency != 0 || got.Weight != 0 || got.Measured || !got.Tried || !got.Failing {
		t.Errorf("only a failure: got %+v, want tried, failing and without a latency", got)
	}
	b.Succeed(1, TTFT, ms(300), 0, at(1))
	b.Fail(1, TTFT, ms(2), 0, at(1))
	if got := b.Estimate(1, TTFT, at(1)); !near(got.Latency, 0.3, 1e-9) {
		t.Errorf("a failure after 2 ms beside an answer after 300 ms: latency %v, want 0.3", got.Latency)
	}
}

func TestTimeoutCountsAtLeastAsLongAsItTook(t *testing.T) {
	b := NewBoard()
	b.Succeed(1, TTFT, ms(300), 0, at(0))
	b.Fail(1, TTFT, time.Minute, 0, at(0))
	if got := b.Estimate(1, TTFT, at(0)); !near(got.Latency, 30.15, 1e-9) || !near(got.Failures, 0.25, 1e-9) {
		t.Errorf("got latency %v and failures %v, want 30.15 and 0.25", got.Latency, got.Failures)
	}
}

func TestOneFailureBesideRecentAnswersIsNotFailing(t *testing.T) {
	b := NewBoard()
	b.Succeed(1, TTFT, ms(300), 0, at(0))
	for _, tc := range []struct {
		after float64
		want  bool
	}{{1, false}, {29, false}, {31, true}} {
		b.Fail(1, Total, ms(2), 0, at(tc.after))
		if got := b.Estimate(1, TTFT, at(tc.after)).Failing; got != tc.want {
			t.Errorf("failing when the last answer is %v s old: got %v, want %v", tc.after, got, tc.want)
		}
	}
	b.Succeed(1, Total, ms(300), 0, at(32))
	if b.Estimate(1, TTFT, at(32)).Failing {
		t.Error("failing after an answer, want not")
	}
}

func TestAttemptIsForgottenAfterTheMemory(t *testing.T) {
	b := NewBoard()
	b.Succeed(1, TTFT, ms(100), 0, at(0))
	b.Fail(2, TTFT, ms(100), 0, at(0))
	for k := Key(1); k <= 2; k++ {
		if e := b.Estimate(k, TTFT, start.Add(memory)); !e.Tried {
			t.Errorf("key %d after %v: got untried, want tried", k, memory)
		}
		if e := b.Estimate(k, TTFT, start.Add(memory+cacheFor)); e.Tried || e.Measured || e.Failing {
			t.Errorf("key %d after more than %v: got %+v, want nothing", k, memory, e)
		}
	}
}

func TestClassWithoutSamplesBorrowsTheOther(t *testing.T) {
	b := NewBoard()
	b.Succeed(1, TTFT, ms(200), 0, at(0))
	if got := b.Estimate(1, Total, at(0)); !near(got.Latency, 0.2, 1e-9) || !got.Measured || !got.Borrowed || got.SinceSample != 0 {
		t.Errorf("total with only ttft measured: got %+v, want 0.2 s, measured, borrowed, sampled just now", got)
	}
	b.Succeed(1, Total, ms(4000), 0, at(1))
	if got := b.Estimate(1, Total, at(1)); !near(got.Latency, 4, 1e-9) || got.Borrowed {
		t.Errorf("total with both measured: got %+v, want 4 s of its own", got)
	}
	if got := b.Estimate(1, TTFT, at(1)).Latency; !near(got, 0.2, 1e-9) {
		t.Errorf("ttft with both measured: got %v, want 0.2", got)
	}
}

func TestSamplesOutOfOrderCountAsInOrder(t *testing.T) {
	property := func(seed uint64) bool {
		r := seeded(seed)
		ordered, shuffled := NewBoard(), NewBoard()
		times := make([]float64, 30)
		for i := range times {
			times[i] = r.Float64() * 40
		}
		order := r.Perm(len(times))
		for i := range times {
			shuffled.Succeed(1, TTFT, ms(100+times[i]*10), 0, at(times[i]))
		}
		for _, i := range order {
			ordered.Succeed(1, TTFT, ms(100+times[i]*10), 0, at(times[i]))
		}
		return sameEstimate(ordered.Estimate(1, TTFT, at(40)), shuffled.Estimate(1, TTFT, at(40)), 1e-9)
	}
	if err := quick.Check(property, nil); err != nil {
		t.Error(err)
	}
}

func TestNoHistoryGivesANumberThatIsNotOne(t *testing.T) {
	property := func(seed uint64) bool {
		r := seeded(seed)
		a, b := NewBoard(), NewBoard()
		now := start
		for range 200 {
			now = now.Add(time.Duration(r.ExpFloat64() * math.Pow(10, 6+6*r.Float64()))) // 1 ms to hours
			elapsed := time.Duration(r.NormFloat64() * math.Pow(10, 15*r.Float64()))
			k := Key(r.IntN(3))
			switch r.IntN(6) {
			case 0:
				a.Succeed(k, Class(r.IntN(2)), elapsed, 0, now)
			case 1:
				a.Fail(k, Class(r.IntN(2)), elapsed, 0, now)
			case 2:
				a.Cool(k, now.Add(elapsed), now)
			case 3:
				b.SetPeer("a", send(t, a, now))
			case 4:
				b.Gone("a", now)
			case 5:
				b.Fold(now)
			}
			checkFinite(t, a.Estimate(k, TTFT, now))
			checkFinite(t, b.Estimate(k, Total, now.Add(-time.Second)))
		}
		return true
	}
	if err := quick.Check(property, nil); err != nil {
		t.Error(err)
	}
}

func TestDecayIsTheStatedPower(t *testing.T) {
	for _, d := range []time.Duration{-time.Second, 0, 1, time.Microsecond, time.Millisecond, time.Second, 2590 * time.Millisecond,
		2600 * time.Millisecond, 10 * time.Second, time.Minute, 10 * time.Minute, math.MaxInt64} {
		got := decay(d)
		for i, h := range halfLives {
			if want := math.Exp2(-float64(max(d, 0)) / float64(h)); !near(got[i], want, 1e-12) && want > 1e-300 {
				t.Errorf("what is left after %v of half-life %v: got %v, want %v", d, h, got[i], want)
			}
		}
	}
}

// A key that is seldom asked for must not keep what all peers once said of every key.
func TestEstimateKeepsNoTableAlive(t *testing.T) {
	b := NewBoard()
	b.Succeed(1, TTFT, ms(100), 0, start)
	b.Fold(start)
	old := weak.Make(b.folded.Load())
	b.Estimate(1, TTFT, start)
	b.Fold(start)
	runtime.GC()
	if old.Value() != nil {
		t.Error("the table of the fold before is still there")
	}
	runtime.KeepAlive(b)
}
