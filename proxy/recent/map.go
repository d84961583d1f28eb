package recent

import (
	"sync"
	"time"
)

// Map is a map of two generations. What is touched is in the young one; when that is full or its time is over it
// becomes the old one, and what the old one held is forgotten. So an entry outlives at least size other entries or
// the turn, whichever comes first, and the map never holds more than twice size.
type Map[K comparable, V any] struct {
	size int
	turn time.Duration

	mu         sync.Mutex
	young, old map[K]V
	since      time.Time // when the young generation began
}

// New returns an empty map. What is not touched for twice the turn is forgotten, some of it after one turn.
func New[K comparable, V any](size int, turn time.Duration) *Map[K, V] {
	return &Map[K, V]{size: size, turn: turn}
}

// Get returns the value of k, which it touches.
func (m *Map[K, V]) Get(k K, now time.Time) (v V, known bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.age(now)
	v, known = m.find(k)
	if known {
		m.put(k, v, now)
	}
	return v, known
}

// Peek returns what Get would, and touches nothing.
func (m *Map[K, V]) Peek(k K, now time.Time) (v V, known bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch age := now.Sub(m.since); {
	case age >= 2*m.turn:
		return v, false
	case age >= m.turn:
		v, known = m.young[k]
		return v, known
	}
	return m.find(k)
}

// Set gives k a value.
func (m *Map[K, V]) Set(k K, v V, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.age(now)
	m.put(k, v, now)
}

// Update gives k the value that change makes of the one it has, or of the zero value. change must not call the map.
func (m *Map[K, V]) Update(k K, now time.Time, change func(V) V) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.age(now)
	v, _ := m.find(k)
	m.put(k, change(v), now)
}

func (m *Map[K, V]) find(k K) (v V, known bool) {
	if v, known = m.young[k]; known {
		return v, true
	}
	v, known = m.old[k]
	return v, known
}

func (m *Map[K, V]) put(k K, v V, now time.Time) {
	if _, there := m.young[k]; !there && len(m.young) >= m.size {
		m.rotate(now)
	}
	if m.young == nil {
		m.young = map[K]V{}
	}
	m.young[k] = v
}

// age lets generations go whose time is over.
func (m *Map[K, V]) age(now time.Time) {
	switch age := now.Sub(m.since); {
	case age >= 2*m.turn:
		m.young = nil
		m.rotate(now)
	case age >= m.turn:
		m.rotate(now)
	}
}

func (m *Map[K, V]) rotate(now time.Time) {
	m.old, m.young, m.since = m.young, nil, now
}
