package fleet

import (
	"time"
)

// Kill ends the first share of the processes as a crash does: nobody is told before their leases have run out.
func (f *Fleet) Kill(share float64) {
	for _, n := range f.nodes[:int(share*float64(len(f.nodes))+0.999)] {
		n.down, n.dead = true, true
		f.expire(n)
	}
	f.publishNames()
}

// expire takes a silent node's key out of the store once its lease has run out.
func (f *Fleet) expire(n *Node) {
	silent := f.engine.Now()
	f.engine.After(lease, func() {
		if n.published <= silent {
			n.line.end(f.engine.Now())
		}
	})
}

// Restart starts a process in the place of each dead one. It reads what the store holds before it serves.
func (f *Fleet) Restart() {
	for i, n := range f.nodes {
		if n.dead {
			f.start(i).list()
		}
	}
	f.publishNames()
}

// Outage takes the store away, or gives it back: while it is away nothing is written and nothing arrives.
func (f *Fleet) Outage(away bool) { f.outage = away }

// Revoke ends all leases at once. Every node notices and writes its value again at its next put.
func (f *Fleet) Revoke() {
	for _, l := range f.lines {
		l.end(f.engine.Now())
	}
	for _, n := range f.nodes {
		n.owed = true
	}
}

// Dethrone ends the aggregator, if the fleet has one. Another one is elected when its lease has run out.
func (f *Fleet) Dethrone() {
	if f.aggregator == nil {
		return
	}
	f.aggregator.dead = true
	f.engine.After(lease, f.elect)
}

// Suspend stops the process in that place for a time. Its clock, which does not count sleep, stands still.
func (f *Fleet) Suspend(place int, length time.Duration) {
	n := f.nodes[place]
	n.down = true
	n.resumes = f.engine.Now() + length
	f.expire(n)
	f.publishNames()
	f.engine.After(length, func() {
		n.down, n.owed = false, true
		n.offset -= length
		f.publishNames()
	})
}

// Asleep returns how long the node stays suspended.
func (n *Node) Asleep() time.Duration {
	if !n.down || n.dead {
		return 0
	}
	return n.resumes - n.fleet.engine.Now()
}
