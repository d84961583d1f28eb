package share

import (
	"fmt"
	"testing"
	"time"
)

func TestTheRingFindsWhatARootHolds(t *testing.T) {
	var r ring
	if _, ok := r.upTo(100); ok {
		t.Error("an empty ring found something")
	}
	at := time.Now()
	for i := range int64(5) {
		r.add(10*(i+1), fmt.Append(nil, 10*(i+1)), at)
	}
	check := func(upTo int64, want string) {
		t.Helper()
		if got, _ := r.upTo(upTo); string(got.value) != want {
			t.Errorf("up to %d: got %q, want %q", upTo, got.value, want)
		}
	}
	check(9, "") // the root has none of them
	check(10, "10")
	check(39, "30")
	check(1000, "50")
	for i := range int64(2 * remembered) {
		r.add(100+i, fmt.Append(nil, 100+i), at)
	}
	check(1000, "131")
	check(120, "120")
	check(50, "116") // long gone: the oldest is nearest
}
