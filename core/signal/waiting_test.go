package signal

import (
	"testing"
	"time"
)

// hung is a board whose key 1 answers in 100 ms and then has requests that nobody answers.
func hung(waits []Wait) *Board {
	b := NewBoard()
	for range 20 {
		b.Succeed(1, TTFT, ms(100), 0, at(0))
	}
	for i := range waits {
		b.Await(&waits[i], 1, TTFT, at(0))
	}
	return b
}

func TestRequestsThatWaitTooLongCountBeforeTheyEnd(t *testing.T) {
	waits := make([]Wait, 10)
	b := hung(waits)
	if got := b.Estimate(1, TTFT, at(0.1)).Latency; !near(got, 0.1, 1e-9) {
		t.Errorf("before anything is overdue: got %v s, want 0.1", got)
	}
	if got := b.Estimate(1, TTFT, at(3)).Latency; got < 0.8 {
		t.Errorf("ten requests wait for 3 s: got %v s, want them to show", got)
	}
	if got := b.Estimate(1, Total, at(3)).Latency; !near(got, 0.1, 1e-9) {
		t.Errorf("the other class: got %v s, want 0.1: it borrows what was answered", got)
	}
	peer := NewBoard()
	peer.SetPeer("a", send(t, b, at(3)))
	peer.Fold(at(3))
	if got := peer.Estimate(1, TTFT, at(3)).Latency; !near(got, b.Estimate(1, TTFT, at(3)).Latency, 1e-6) {
		t.Errorf("at a peer: got %v s, want the same", got)
	}
	for i := range waits {
		waits[i].Answered()
		waits[i].Answered() // once is enough
	}
	if got := b.Estimate(1, TTFT, at(3.1)).Latency; !near(got, 0.1, 1e-9) {
		t.Errorf("after the clients have left: got %v s, want 0.1 as if they had never been", got)
	}
	if !b.Moved(at(3.2)) {
		t.Error("nothing to publish after they have left, want it told")
	}
}

func TestTargetWithoutAnAnswerHasNothingOverdue(t *testing.T) {
	b := NewBoard()
	var w Wait
	b.Await(&w, 1, TTFT, at(0))
	if got := b.Estimate(1, TTFT, at(60)); got.Tried || got.Weight != 0 {
		t.Errorf("got %+v, want unmeasured still", got)
	}
}

func TestWaitsLeaveInAnyOrder(t *testing.T) {
	for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {1, 0, 2}, {1, 2, 0}, {0, 2, 1}, {2, 0, 1}} {
		waits := make([]Wait, 3)
		b := hung(waits)
		for n, i := range order {
			waits[i].Answered()
			left := 0
			for w := b.row(1).waiting[TTFT].first; w != nil; w = w.next {
				left++
			}
			if left != 2-n {
				t.Fatalf("order %v: %d wait after %d have left", order, left, n+1)
			}
		}
		if w := b.row(1).waiting[TTFT]; w.first != nil || w.last != nil {
			t.Errorf("order %v: the list is not empty in the end", order)
		}
	}
}

func TestOverdueRequestsCannotBeToldForever(t *testing.T) {
	waits := make([]Wait, 1)
	b := hung(waits)
	b.Encode(nil, at(0))
	var puts int
	for s := 1.0; s < 30; s++ {
		if b.Moved(at(s)) {
			b.Encode(nil, at(s))
			puts++
		}
	}
	if puts == 0 {
		t.Error("nothing was told of a request that waits for 30 s")
	}
	waits[0].Answered()
	b.Encode(nil, at(30))
	if b.Moved(at(30).Add(time.Second)) {
		t.Error("it is told of still, want an end")
	}
}
