package policy

import (
	"math"
	"slices"
	"time"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/rank"
	"github.com/sluice-gateway/sluice/tests/sim/fleet"
	"github.com/sluice-gateway/sluice/tests/sim/traffic"
)

// meter is what one node knows of one target by a policy of its own. What it has not measured costs less than
// anything, so that it is tried.
type meter interface {
	cost(now time.Duration) float64
	begin()
	end(o Outcome)
}

// local ranks by what the node alone has measured.
type local struct {
	passive
	meters [][]meter // by node and target
	make   func() meter
	pair   bool // compares two targets at random instead of all
}

func newLocal(nodes, targets int, pair bool, make func() meter) *local {
	l := &local{make: make, pair: pair}
	for range nodes {
		row := []meter{}
		for range targets {
			row = append(row, make())
		}
		l.meters = append(l.meters, row)
	}
	return l
}

func (l *local) meter(n *fleet.Node, t *core.Target) meter { return l.meters[n.Index][Index(t)] }

func (l *local) Order(dst []rank.Choice, n *fleet.Node, g *core.Group, r *traffic.Request) []rank.Choice {
	from := len(dst)
	dst = random{}.Order(dst, n, g, r)
	rivals := dst[from:]
	if l.pair {
		rivals = rivals[:min(2, len(rivals))]
	}
	sortByCost(rivals, func(t *core.Target) float64 { return l.meter(n, t).cost(r.At) })
	return dst
}

// sortByCost keeps the random order of equals.
func sortByCost(choices []rank.Choice, cost func(*core.Target) float64) {
	var room [16]float64
	costs := room[:0]
	for i := range choices {
		c := cost(choices[i].Target)
		at := len(costs)
		for at > 0 && costs[at-1] > c {
			at--
		}
		costs = slices.Insert(costs, at, c)
		moved := choices[i]
		copy(choices[at+1:i+1], choices[at:i])
		choices[at] = moved
	}
}

func (l *local) Begin(n *fleet.Node, t *core.Target) { l.meter(n, t).begin() }

func (l *local) End(n *fleet.Node, t *core.Target, o Outcome) { l.meter(n, t).end(o) }

// lastTen is the mean of the last ten answers, as LiteLLM's latency-based routing keeps them.
type lastTen struct {
	ring [10]float64
	n    int
}

func (*lastTen) begin() {}

func (m *lastTen) end(o Outcome) {
	if !o.Left && !o.Failed {
		m.ring[m.n%len(m.ring)] = o.Latency
		m.n++
	}
}

func (m *lastTen) cost(time.Duration) float64 {
	var sum float64
	known := min(m.n, len(m.ring))
	for _, x := range m.ring[:known] {
		sum += x
	}
	return sum / float64(max(known, 1))
}

// average is an exponential average of answers with a fixed weight of the newest.
type average struct {
	value float64
	known bool
}

// newest is the weight of an answer that the gateways with such an average use.
const newest = 0.3

func (*average) begin() {}

func (m *average) end(o Outcome) {
	switch {
	case o.Left || o.Failed:
	case m.known:
		m.value += newest * (o.Latency - m.value)
	default:
		m.value, m.known = o.Latency, true
	}
}

func (m *average) cost(time.Duration) float64 { return m.value }

// tau is the time constant of the averages that decay with time.
const tau = 10 * time.Second

func fade(since time.Duration) float64 { return math.Exp(-float64(since) / float64(tau)) }

// decaying is the average of Kong and ingress-nginx: it weighs by the time between answers, fades to zero while
// there are none, and takes a failure for an answer.
type decaying struct {
	value   float64
	touched time.Duration
}

func (*decaying) begin() {}

func (m *decaying) end(o Outcome) {
	if !o.Left {
		f := fade(o.Now - m.touched)
		m.value = m.value*f + o.Latency*(1-f)
		m.touched = o.Now
	}
}

func (m *decaying) cost(now time.Duration) float64 { return m.value * fade(now-m.touched) }

// peak is Finagle's peak EWMA: an answer slower than the average replaces it, the load is the average times the
// node's own requests in flight, and a target that has not answered yet costs much while it is being asked.
type peak struct {
	decaying
	pending int
}

// unanswered is what Finagle charges a target that is being asked for the first time.
const unanswered = 1e9

func (m *peak) begin() { m.pending++ }

func (m *peak) end(o Outcome) {
	m.pending--
	if !o.Left && o.Latency > m.decaying.cost(o.Now) {
		m.value, m.touched = o.Latency, o.Now
		return
	}
	m.decaying.end(o)
}

func (m *peak) cost(now time.Duration) float64 {
	load := m.decaying.cost(now)
	if load == 0 && m.pending > 0 {
		return unanswered + float64(m.pending)
	}
	return load * float64(m.pending+1)
}
