package share

import (
	"sync"
	"time"
)

// remembered is how many of its own values a node keeps: a root holds one that is two intervals old as a rule, and
// urgent ones are written five times a second at most.
const remembered = 16

// ring holds the values that this node wrote last.
type ring struct {
	mu     sync.Mutex
	values [remembered]written
	next   int
}

// written is one value, when it was encoded and at which revision etcd has it; revision 0: none.
type written struct {
	revision int64
	value    []byte
	at       time.Time
}

func (r *ring) add(revision int64, value []byte, at time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.values[r.next%remembered] = written{revision, value, at}
	r.next++
}

// upTo returns the value that etcd had at that revision, or the oldest remembered one if it had none of these.
// What is written while the lease changes hands counts too: a key that is gone leaves its sums in the root.
func (r *ring) upTo(revision int64) (written, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var best, oldest written
	for _, w := range r.values {
		if w.revision == 0 {
			continue
		}
		if w.revision <= revision && w.revision > best.revision {
			best = w
		}
		if oldest.revision == 0 || w.revision < oldest.revision {
			oldest = w
		}
	}
	if best.revision == 0 && r.next > remembered {
		best = oldest // the root is far behind: nearly its own part beats none
	}
	return best, best.revision != 0
}
