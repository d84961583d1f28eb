package store

import (
	"testing"
	"time"
)

func TestADelayDoublesUpToItsLimit(t *testing.T) {
	d := delay{first: 10 * time.Millisecond, limit: 65 * time.Millisecond}
	for round := range 2 {
		for i, length := range []time.Duration{10, 20, 40, 65, 65, 65} {
			length *= time.Millisecond
			if got := d.next(); got < length/2 || got > length {
				t.Errorf("round %d, pause %d: got %s, want %s to %s", round, i, got, length/2, length)
			}
		}
		d.step = 0
	}
	for range 100 {
		d.next()
	}
	if got := d.next(); got > d.limit {
		t.Errorf("after 100 pauses: got %s, want at most %s", got, d.limit)
	}
}
