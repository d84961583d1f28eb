package fleet

import (
	"time"

	"github.com/sluice-gateway/sluice/core/signal"
)

// line is what one node has written to the store, or what became of that, in order.
type line struct {
	name    string
	entries []entry
}

// entry is a value, or the end of one.
type entry struct {
	at    time.Duration
	value []byte // nil: the node's key is gone
	peers []decoded
	// holds, of a root, is how many entries of each line are folded into it.
	holds []int
}

// decoded is a value as all nodes see it that receive it at the same time of their clocks.
type decoded struct {
	received time.Time
	peer     *signal.Peer // nil: not understood
}

// tick is the node's regular put and schedules the next.
func (n *Node) tick() {
	if n.dead || n.fleet.closed {
		return
	}
	if !n.down {
		n.put()
	}
	n.fleet.engine.After(n.interval(), n.tick)
}

// interval is the time to the next regular put, with the jitter of proxy/share.
func (n *Node) interval() time.Duration {
	every := n.fleet.cfg.Every
	return every - every/10 + time.Duration(n.Rand.Float64()*float64(every/5))
}

// Urgent publishes before the next regular put, as for a cooldown.
func (n *Node) Urgent() {
	if n.urgent || !n.fleet.cfg.Shared {
		return
	}
	n.urgent = true
	n.fleet.engine.At(n.published+urgentGap, func() {
		n.urgent = false
		if !n.down && !n.fleet.closed {
			n.put()
		}
	})
}

func (n *Node) put() {
	now := n.Now()
	n.published = n.fleet.engine.Now()
	if !n.Board.Moved(now) && !n.owed {
		return
	}
	value := n.Board.Encode(nil, now)
	if n.owed = n.fleet.outage; !n.owed {
		n.line.write(n.fleet.engine.Now(), value)
	}
}

func (l *line) write(at time.Duration, value []byte) {
	l.entries = append(l.entries, entry{at: at, value: value})
}

// hear takes in what has arrived by then.
func (n *Node) hear(by time.Duration) {
	if n.fleet.root != nil && n != n.fleet.aggregator {
		n.hearRoot(by)
		return
	}
	for len(n.heard) < len(n.fleet.lines) {
		n.heard = append(n.heard, 0)
	}
	for i, l := range n.fleet.lines {
		if l == n.line {
			continue
		}
		if last := l.arrived(n.heard[i], by-n.delay); last > n.heard[i] {
			n.take(l, n.heard[i], last)
			n.heard[i] = last
		}
	}
}

// end takes the value away, if there is one.
func (l *line) end(at time.Duration) {
	if last := len(l.entries); last > 0 && l.entries[last-1].value != nil {
		l.write(at, nil)
	}
}

// list takes in what the store holds, as a process does that starts.
func (n *Node) list() {
	if !n.fleet.cfg.Shared {
		return
	}
	held := map[string]*signal.Peer{}
	n.heard = nil
	for _, l := range n.fleet.lines {
		last := len(l.entries)
		n.heard = append(n.heard, last)
		if l == n.line || last == 0 || l.entries[last-1].value == nil {
			continue
		}
		if p := n.fleet.decode(&l.entries[last-1], n.Now()); p != nil {
			held[l.name] = p
		}
	}
	n.Board.Reset(held, n.Now())
	n.Board.Fold(n.Now())
}

// received is when what was written at that time has come to the node, by its clock.
func (n *Node) received(at time.Duration) time.Time { return n.Time(max(at+n.delay, n.resumes)) }

// arrived returns how many entries were written by then, at least from.
func (l *line) arrived(from int, by time.Duration) int {
	last := len(l.entries)
	for last > from && l.entries[last-1].at > by {
		last--
	}
	return last
}

// take takes in the entries of a line: of several values only the last counts.
func (n *Node) take(l *line, from, to int) {
	for i := from; i < to; i++ {
		e := &l.entries[i]
		if e.value == nil {
			n.Board.Gone(l.name, n.received(e.at))
			continue
		}
		if i+1 < to && l.entries[i+1].value != nil {
			continue
		}
		if p := n.fleet.decode(e, n.received(e.at)); p != nil {
			n.Board.SetPeer(l.name, p)
		}
	}
}

// decode decodes a value once for all nodes that receive it at one time.
func (f *Fleet) decode(e *entry, received time.Time) *signal.Peer {
	for i := range e.peers {
		if e.peers[i].received.Equal(received) {
			return e.peers[i].peer
		}
	}
	p, err := signal.Decode(e.value, received)
	if err != nil || p.Rejected > 0 {
		f.Rejects++
	}
	e.peers = append(e.peers, decoded{received, p})
	return p
}
