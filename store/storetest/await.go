package storetest

import (
	"sync"
	"testing"
	"time"
)

// board is what callbacks write to and a test waits on.
type board struct {
	mu      sync.Mutex
	changed chan struct{} // closed, and replaced, at each change
}

func newBoard() *board { return &board{changed: make(chan struct{})} }

// note changes what the board guards.
func (b *board) note(change func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	change()
	close(b.changed)
	b.changed = make(chan struct{})
}

// await waits until ok, called with the board held, is true.
func (b *board) await(t testing.TB, what string, ok func() bool) {
	t.Helper()
	late := time.After(patience)
	for {
		b.mu.Lock()
		done, changed := ok(), b.changed
		b.mu.Unlock()
		if done {
			return
		}
		select {
		case <-changed:
		case <-late:
			t.Fatalf("waited %s for: %s", patience, what)
		}
	}
}

// look calls f with the board held.
func (b *board) look(f func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f()
}
