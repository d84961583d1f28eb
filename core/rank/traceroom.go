package rank

import (
	"math"
	"slices"
	"time"

	"github.com/sluice-gateway/sluice/core/signal"
)

// traceRoom holds what a Trace points to, so that a Trace that is used again needs no memory. What has been handed out
// stays where it is when more room is made.
type traceRoom struct {
	numbers   []float64
	names     []string
	latencies []LatencyTrace
	scores    []ScoreTrace
	routes    []RouteTrace
	meanings  []MeaningTrace
}

// emptied returns the room with nothing in it.
func (m *traceRoom) emptied() traceRoom {
	return traceRoom{m.numbers[:0], m.names[:0], m.latencies[:0], m.scores[:0], m.routes[:0], m.meanings[:0]}
}

// finite returns a pointer to x, nil where JSON has no word for it.
func (m *traceRoom) finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	m.numbers = append(m.numbers, x)
	return &m.numbers[len(m.numbers)-1]
}

// since is a time in seconds, nil for Never.
func (m *traceRoom) since(d time.Duration) *float64 {
	if d == signal.Never {
		return nil
	}
	return m.finite(d.Seconds())
}

// path returns the path to a routing inside the one of that path.
func (m *traceRoom) path(around []string, routing string) []string {
	from := len(m.names)
	m.names = append(append(m.names, around...), routing)
	return slices.Clip(m.names[from:])
}

func (m *traceRoom) latency() *LatencyTrace { return kept(&m.latencies, LatencyTrace{}) }

// kept puts x into the room and returns where it stands.
func kept[T any](room *[]T, x T) *T {
	*room = append(*room, x)
	return &(*room)[len(*room)-1]
}

// Room returns for how many candidates the trace has room, and for how many pieces of evidence of all of them. It is
// what rankings of all kinds have needed since the trace was made.
func (r *Trace) Room() (candidates, evidence int) {
	all := r.Candidates[:cap(r.Candidates)]
	for i := range all {
		evidence += cap(all[i].Evidence)
	}
	return len(all), evidence
}

// add returns one more candidate, which is zero but for the room of its lists.
func (r *Trace) add() *Candidate {
	n := len(r.Candidates)
	r.Candidates = slices.Grow(r.Candidates, 1)[:n+1]
	c := &r.Candidates[n]
	*c = Candidate{Evidence: c.Evidence[:0], Dimensions: c.Dimensions[:0], Demoted: c.Demoted[:0]}
	return c
}
