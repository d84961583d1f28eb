package signal

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/quick"
	"time"
)

// wanting returns a board that keeps every detail of keys below 4.
func wanting() *Board {
	b := NewBoard()
	all := map[Key]Detail{}
	for k := range Key(4) {
		all[k] = WantSpread | WantThroughput
	}
	b.Want(all)
	return b
}

// answered puts one random answer, with its output and its limits, into every board given.
func answered(r *rand.Rand, k Key, now time.Time, boards ...*Board) {
	class, elapsed := Class(r.IntN(classes)), ms(2+r.ExpFloat64()*500)
	tokens, in := int64(1+r.IntN(2000)), ms(r.ExpFloat64()*9000)
	q := Quota{Limit{r.Float64(), time.Duration(r.IntN(90)) * time.Second}, Limit{r.Float64(), time.Duration(r.IntN(90)) * time.Second}}
	for _, b := range boards {
		b.Succeed(k, class, elapsed, 0, now)
		b.Produced(k, class, tokens, in, now)
		b.Limited(k, q, now)
	}
}

// merged returns what b knows in detail of k, as of now.
func merged(b *Board, k Key, now time.Time) *detail {
	d := &detail{at: now}
	add := func(x *detail) {
		if x == nil {
			return
		}
		f := x.left(now)
		for c := range d.class {
			for i, n := range x.class[c].spread.counts {
				d.class[c].spread.counts[i] += n * f
			}
			d.class[c].spread.weight += x.class[c].spread.weight * f
		}
		for c := range d.class {
			d.class[c].output.add(x.class[c].output, f)
		}
	}
	add(b.row(k).detail)
	if f := b.fold(k); f != nil {
		add(f.detail)
	}
	return d
}

// sameDetail reports whether two boards agree in detail. A bucket's count crosses the wire as a share of the weight, to
// within half of 1/65,535 of it for each of the nodes.
func sameDetail(t *testing.T, got, want *Board, k Key, now time.Time, tolerance float64) bool {
	t.Helper()
	x, y, same := merged(got, k, now), merged(want, k, now), true
	for c := range Class(classes) {
		a, b := &x.class[c], &y.class[c]
		same = same && near(a.spread.weight, b.spread.weight, tolerance)
		for i := range a.spread.counts {
			same = same && math.Abs(a.spread.counts[i]-b.spread.counts[i]) <= tolerance*max(a.spread.weight, 1)
		}
		same = same && near(a.output.tokens, b.output.tokens, tolerance) && near(a.output.seconds, b.output.seconds, tolerance) &&
			near(a.output.answers, b.output.answers, tolerance)
	}
	left, known := got.Quota(k, now)
	left2, known2 := want.Quota(k, now)
	same = same && known == known2 && math.Abs(left-left2) < 1e-4
	if !same {
		t.Logf("key %d: got %+v, quota %v %v", k, x, left, known)
		t.Logf("key %d: want %+v, quota %v %v", k, y, left2, known2)
	}
	return same
}

func TestMergedDetailsAreThoseOfTheUnion(t *testing.T) {
	property := func(seed uint64) bool {
		r := seeded(seed)
		reader, union, now := merge(t, r, wanting, 400, answered)
		now = now.Add(time.Duration(r.IntN(100)) * time.Second)
		for k := range Key(4) {
			if !sameDetail(t, reader, union, k, now, 2e-4) {
				t.Logf("seed %d", seed)
				return false
			}
		}
		return true
	}
	if err := quick.Check(property, &quick.Config{MaxCount: 60}); err != nil {
		t.Error(err)
	}
}

func TestNodeWithARootKnowsDetailsAsFromTheMembers(t *testing.T) {
	property := func(seed uint64) bool {
		r := seeded(seed)
		nodes := make([]*Board, 2+r.IntN(8))
		for i := range nodes {
			nodes[i] = wanting()
		}
		union, now := wanting(), start
		for range 300 {
			now = now.Add(time.Duration(r.ExpFloat64() * float64(100*time.Millisecond)))
			answered(r, Key(r.IntN(4)), now, nodes[r.IntN(len(nodes))], union)
		}
		members := map[string]*Peer{}
		for i, n := range nodes {
			members[fmt.Sprint(i)] = send(t, n, now)
		}
		root := aggregate(t, members, now)
		for range 20 { // own answers that the root does not hold yet
			now = now.Add(50 * time.Millisecond)
			answered(r, Key(r.IntN(4)), now, nodes[0], union)
		}
		nodes[0].SetRoot(root, members["0"])
		nodes[0].Fold(now)
		for k := range Key(4) {
			if !sameDetail(t, nodes[0], union, k, now, 5e-4) {
				t.Logf("seed %d", seed)
				return false
			}
		}
		return true
	}
	if err := quick.Check(property, &quick.Config{MaxCount: 60}); err != nil {
		t.Error(err)
	}
}

func TestOwnDetailOfARootLeavesNothingBehind(t *testing.T) {
	b := wanting()
	r := seeded(5)
	for i := range 100 {
		answered(r, 1, at(float64(i)/50), b)
	}
	own := send(t, b, at(2))
	root := aggregate(t, map[string]*Peer{"self": own}, at(2.05)) // it has travelled
	fresh := NewBoard()
	fresh.SetRoot(root, own)
	fresh.Fold(at(2.1))
	_, answers := fresh.Throughput(1, at(2.1))
	if got := fresh.Spread(1, TTFT, at(2.1)); got != (Spread{}) || answers != 0 {
		t.Errorf("got %+v and %v answers, want nothing of the own", got, answers)
	}
}

func TestReplayOfOldDetailsChangesNothing(t *testing.T) {
	peer, reader, r := wanting(), NewBoard(), seeded(3)
	answered(r, 1, at(0), peer)
	older := send(t, peer, at(0))
	answered(r, 1, at(5), peer)
	reader.SetPeer("a", send(t, peer, at(5)))
	reader.Fold(at(5))
	again := *older
	again.received = at(6)
	reader.SetPeer("a", &again)
	reader.Reset(map[string]*Peer{"a": older}, at(6))
	reader.Fold(at(6))
	if !sameDetail(t, reader, peer, 1, at(6), 1e-4) {
		t.Error("a replay of an older value has changed the details")
	}
}

func TestOnlyWhatIsWantedIsKeptAndWritten(t *testing.T) {
	for _, tc := range []struct {
		wanted             Detail
		spread, throughput bool
	}{{0, false, false}, {WantSpread, true, false}, {WantThroughput, false, true}, {WantSpread | WantThroughput, true, true}} {
		b := NewBoard()
		b.Want(map[Key]Detail{1: WantSpread | WantThroughput, 2: WantSpread})
		answered(seeded(1), 1, start, b)
		b.Want(map[Key]Detail{1: tc.wanted})
		for range 20 {
			answered(seeded(2), 1, start, b)
			answered(seeded(2), 3, start, b)
		}
		reader := NewBoard()
		reader.SetPeer("a", send(t, b, start))
		reader.Fold(start)
		for who, x := range map[string]*Board{"own": b, "peer's": reader} {
			s, total := x.Spread(1, TTFT, start), x.Spread(1, Total, start)
			_, answers := x.Throughput(1, start)
			if got := s.Weight+total.Weight > 0; got != tc.spread {
				t.Errorf("wanted %b: %s spread is known: %v, want %v", tc.wanted, who, got, tc.spread)
			}
			if got := answers > 0; got != tc.throughput {
				t.Errorf("wanted %b: %s throughput is known: %v, want %v", tc.wanted, who, got, tc.throughput)
			}
			if other := x.Spread(3, TTFT, start); other != (Spread{}) {
				t.Errorf("of a key that nobody wants: %s spread is %+v, want none", who, other)
			}
		}
	}
}

func TestForgottenKeysLoseTheirDetails(t *testing.T) {
	b := wanting()
	for range 10 {
		answered(seeded(1), 1, start, b)
	}
	b.Begin(1) // the row stays
	b.Forget(func(Key) bool { return false })
	_, answers := b.Throughput(1, start)
	_, known := b.Quota(1, start)
	if b.Spread(1, TTFT, start).Weight+b.Spread(1, Total, start).Weight+answers != 0 || known {
		t.Error("a forgotten key has details still")
	}
	b.Succeed(1, TTFT, ms(100), 0, start)
	if b.Spread(1, TTFT, start).Weight != 1 {
		t.Error("what is wanted is not kept any more after the key was forgotten")
	}
}

func TestValueHasNoMoreDetailsThanItsBound(t *testing.T) {
	b, all := NewBoard(), map[Key]Detail{}
	for k := range Key(maxDetails + 20) {
		all[k] = WantSpread
	}
	b.Want(all)
	for k := range Key(maxDetails + 20) {
		b.Succeed(k, TTFT, ms(100), 0, at(float64(k)/10))
	}
	p := send(t, b, at(20))
	var with []Key
	for _, e := range p.entries {
		if e.parts != nil {
			with = append(with, e.key)
		}
	}
	if len(with) != maxDetails || slices.Min(with) != 20 || len(p.entries) != maxDetails+20 {
		t.Errorf("got %d of %d entries with details, the first %d; want the %d that were used last of %d", len(with), len(p.entries), slices.Min(with), maxDetails, maxDetails+20)
	}
}

// Details neither grow beyond all numbers nor turn into none, whatever passes between two samples.
func TestDetailsSurviveAnyPause(t *testing.T) {
	b, now := wanting(), start
	for _, pause := range []time.Duration{0, time.Hour, 59 * time.Minute, 10 * time.Minute, time.Second, 40 * 24 * time.Hour, 9 * time.Minute, -time.Second} {
		now = now.Add(pause)
		b.Succeed(1, TTFT, ms(200), 0, now)
		b.Produced(1, TTFT, 100, time.Second, now)
		s := b.Spread(1, TTFT, now)
		speed, answers := b.Throughput(1, now)
		if !near(s.P50, 0.2, 0.05) || s.Weight < 0.9 || s.Weight > 4 || !near(speed, 100, 1e-9) || !near(answers, s.Weight, 1e-9) {
			t.Errorf("after a pause of %v: got %+v and %v tokens a second of %v answers, want 0.2 s and 100", pause, s, speed, answers)
		}
	}
}

func TestDetailsHalveEveryMinuteAndThenFade(t *testing.T) {
	peer, reader := wanting(), NewBoard()
	for range 8 {
		peer.Succeed(1, TTFT, ms(200), 0, start)
		peer.Produced(1, TTFT, 100, time.Second, start)
	}
	reader.SetPeer("a", send(t, peer, start))
	reader.Fold(start)
	for minutes, want := range []float64{8, 4, 2, 1, .5, .25, .125, .0625, 0, 0} {
		now := at(60 * float64(minutes))
		for who, b := range map[string]*Board{"own": peer, "peer's": reader} {
			got := b.Spread(1, TTFT, now)
			_, answers := b.Throughput(1, now)
			if !near(got.Weight, want, 1e-6) || !near(answers, want, 1e-6) || (want > 0 && !near(got.P99, 0.2, 0.05)) {
				t.Errorf("%s after %d min: got %+v and %v answers, want %v", who, minutes, got, answers, want)
			}
		}
	}
}
