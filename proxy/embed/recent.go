package embed

import (
	"container/list"
	"sync"
	"time"
)

// recent keeps what was used last, by key, within a number of bytes.
type recent[V any] struct {
	room int
	keep time.Duration // how long an entry is good for; 0: for ever

	mu      sync.Mutex
	used    int
	order   list.List // of *entry[V], the last used first
	entries map[Key]*list.Element
}

type entry[V any] struct {
	key   Key
	value V
	size  int
	until time.Time
}

// perEntry is what an entry takes besides its value: key, list element and a slot of the map.
const perEntry = 256

func newRecent[V any](room int, keep time.Duration) *recent[V] {
	return &recent[V]{room: room, keep: keep, entries: map[Key]*list.Element{}}
}

func (r *recent[V]) get(k Key) (V, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if at := r.entries[k]; at != nil {
		e := at.Value.(*entry[V])
		if r.keep == 0 || time.Now().Before(e.until) {
			r.order.MoveToFront(at)
			return e.value, true
		}
		r.removeLocked(at)
	}
	var none V
	return none, false
}

// put keeps a value of so many bytes. One that is larger than all the room is not kept.
func (r *recent[V]) put(k Key, value V, size int) {
	size += perEntry
	r.mu.Lock()
	defer r.mu.Unlock()
	if at := r.entries[k]; at != nil {
		r.removeLocked(at)
	}
	if size > r.room {
		return
	}
	for r.used+size > r.room {
		r.removeLocked(r.order.Back())
	}
	r.used += size
	r.entries[k] = r.order.PushFront(&entry[V]{key: k, value: value, size: size, until: time.Now().Add(r.keep)})
}

func (r *recent[V]) removeLocked(at *list.Element) {
	e := r.order.Remove(at).(*entry[V])
	r.used -= e.size
	delete(r.entries, e.key)
}
