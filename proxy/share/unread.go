package share

import "sync"

// unread is whose values are not understood at the moment, so that each is told of once.
type unread struct {
	mu   sync.Mutex
	from map[string]bool
}

// first notes a writer and reports whether it is new.
func (u *unread) first(from string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.from[from] {
		return false
	}
	if u.from == nil {
		u.from = map[string]bool{}
	}
	u.from[from] = true
	return true
}

func (u *unread) forget(from string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.from, from)
}
