package signal

import (
	"testing"
	"time"
)

func TestMovedIsWhatIsWorthAWrite(t *testing.T) {
	for _, tc := range []struct {
		name string
		do   func(*Board)
		want bool
	}{
		{"nothing", func(*Board) {}, false},
		{"one more sample among many", func(b *Board) { b.Succeed(1, TTFT, ms(100), 0, at(1)) }, false},
		{"a sample that moves the latency", func(b *Board) { b.Succeed(1, TTFT, ms(1000), 0, at(1)) }, true},
		{"a tenth more samples", func(b *Board) {
			for range 12 {
				b.Succeed(1, TTFT, ms(100), 0, at(1))
			}
		}, true},
		{"a first sample of the other class", func(b *Board) { b.Succeed(1, Total, ms(100), 0, at(1)) }, true},
		{"failures", func(b *Board) {
			for range 4 {
				b.Fail(1, TTFT, ms(1), 0, at(1))
			}
		}, true},
		{"a quarter more in flight", func(b *Board) { b.Begin(1) }, false},
		{"more in flight", func(b *Board) { b.Begin(1); b.Begin(1) }, true},
		{"fewer in flight", func(b *Board) { b.Done(1); b.Done(1) }, true},
		{"a first one in flight", func(b *Board) { b.Begin(2) }, true},
		{"a cooldown", func(b *Board) { b.Cool(1, at(60), at(1)) }, true},
		{"a cooldown that is over", func(b *Board) { b.Cool(1, at(0.5), at(0)) }, false},
		{"a longer cooldown", func(b *Board) { b.Cool(3, at(60), at(1)) }, true},
		{"the end of a cooldown before its time", func(b *Board) { b.Warm(3) }, true},
		{"a new key", func(b *Board) { b.Succeed(4, TTFT, ms(100), 0, at(1)) }, true},
		{"a key forgotten", func(b *Board) { b.Forget(func(k Key) bool { return k != 3 }) }, true},
		{"a claim", func(b *Board) { b.Claim(1) }, false},
	} {
		b := NewBoard()
		for range 100 {
			b.Succeed(1, TTFT, ms(100), 0, at(0))
		}
		for range 4 {
			b.Begin(1)
		}
		b.Cool(3, at(30), at(0))
		b.Encode(nil, at(0))
		tc.do(b)
		if got := b.Moved(at(1)); got != tc.want {
			t.Errorf("%s: moved is %v, want %v", tc.name, got, tc.want)
		}
		b.Encode(nil, at(1))
		if b.Moved(at(1)) {
			t.Errorf("%s: moved right after it was encoded, want not", tc.name)
		}
	}
}

func TestEmptyBoardIsNeverWritten(t *testing.T) {
	b := NewBoard()
	if b.Moved(at(0)) || b.Moved(at(1e6)) {
		t.Error("an empty board has moved, want not")
	}
}

// writes runs the publisher's tick over a span and returns how often it wrote.
func writes(b *Board, from, to time.Time) (n int) {
	for now := from; now.Before(to); now = now.Add(time.Second) {
		if b.Moved(now) {
			b.Encode(nil, now)
			n++
		}
	}
	return n
}

func TestIdleNodeStopsWriting(t *testing.T) {
	b := NewBoard()
	for i := range 100 {
		b.Succeed(1, TTFT, ms(100+float64(i)), 0, at(float64(i)/10))
		b.Succeed(2, Total, ms(100+float64(i)), 0, at(float64(i)/10))
		b.Fail(2, Total, ms(1), 0, at(float64(i)/10))
	}
	b.Cool(2, at(70), at(10))
	if got := writes(b, at(10), at(20)); got != 1 {
		t.Errorf("in the first ten seconds without a request: %d writes, want 1", got)
	}
	if got := writes(b, at(20), at(2*3600)); got == 0 || got > 10 {
		t.Errorf("in two hours: %d writes, want a few", got)
	}
	if got := writes(b, at(2*3600), at(6*3600)); got > 0 {
		t.Errorf("in the hours after: %d writes, want none", got)
	}
	if p := send(t, b, at(6*3600)); len(p.entries) != 0 {
		t.Errorf("the last value holds %d entries, want none", len(p.entries))
	}
}

// A node that starts reads what its peers have stored and takes it for fresh.
func TestStoredValueIsNeverMuchOlderThanItLooks(t *testing.T) {
	b := NewBoard()
	b.Succeed(1, TTFT, ms(100), 0, at(0))
	var stored []byte
	for now := range 3600 {
		if b.Moved(at(float64(now))) {
			stored = b.Encode(nil, at(float64(now)))
		}
		p, err := Decode(stored, at(float64(now)))
		if err != nil {
			t.Fatal(err)
		}
		if looks := p.entries[0].record.latest().since().Seconds(); looks < float64(now)/2-15 {
			t.Fatalf("a sample %d s old looks %v s old, want at least about half", now, looks)
		}
	}
}

func TestBusyNodeKeepsItsPeersInformed(t *testing.T) {
	b, reader := NewBoard(), NewBoard()
	for i := range 1200 {
		now := at(float64(i) / 10)
		b.Succeed(1, TTFT, ms(100), 0, now)
		if i%10 == 0 && b.Moved(now) {
			reader.SetPeer("a", send(t, b, now))
			reader.Fold(now)
		}
	}
	got, want := reader.Estimate(1, TTFT, at(120)), b.Estimate(1, TTFT, at(120))
	if !near(got.Attempts, want.Attempts, 0.2) || got.SinceSample > 4*time.Second {
		t.Errorf("a steady stream seen by a peer: got %+v, want nearly %+v", got, want)
	}
}
