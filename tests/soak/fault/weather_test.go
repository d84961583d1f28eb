package fault_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/tests/soak/fault"
)

func TestEveryKindComesUpAndTheSeedDecides(t *testing.T) {
	start := time.Now()
	seen := map[string]bool{}
	for i := range 50_000 {
		w := fault.Weather{Seed: 1, Upstream: fmt.Sprint("u", i%5), Start: start}
		id, stream, at := fmt.Sprint("r", i), i%2 == 0, start.Add(time.Duration(i)*10*time.Millisecond)
		k := w.Pick(id, 1, stream, at)
		if stream && !k.Streams || !stream && !k.Wholes {
			t.Fatalf("got %q for stream %v", k.Name, stream)
		}
		if again := w.Pick(id, 1, stream, at); again.Name != k.Name {
			t.Fatalf("got %q and then %q of the same seed", k.Name, again.Name)
		}
		seen[k.Name] = true
	}
	for _, name := range fault.Names() {
		if !seen[name] {
			t.Errorf("%q never came up", name)
		}
	}
}
