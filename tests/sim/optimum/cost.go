package optimum

import (
	"time"

	"github.com/sluice-gateway/sluice/core/signal"
	"github.com/sluice-gateway/sluice/tests/sim/engine"
	"github.com/sluice-gateway/sluice/tests/sim/scenario"
	"github.com/sluice-gateway/sluice/tests/sim/traffic"
	"github.com/sluice-gateway/sluice/tests/sim/upstream"
)

// caller is a request and what it asks of its target.
type caller struct {
	*traffic.Request
	work upstream.Work
}

// callers returns all requests of the scenario.
func callers(s *scenario.Scenario, seed uint64) (all []caller) {
	source := traffic.New(s.Load, seed)
	for r := source.Next(); r.At < s.Length; r = source.Next() {
		all = append(all, caller{r, r.Work(0)})
	}
	return all
}

// queue is one target with its share of the callers.
type queue struct {
	warm   time.Duration
	engine *engine.Engine
	server *upstream.Upstream
	coming []caller
	share  float64
	waited float64 // seconds
}

// cost is how many seconds in all the callers wait that come to the target if it has that share of them.
func cost(s *scenario.Scenario, target int, share float64, coming []caller) float64 {
	if share == 0 {
		return 0
	}
	q := &queue{warm: s.Warm, engine: &engine.Engine{}, coming: coming, share: share}
	q.server = upstream.New(q.engine, s.UpstreamOf(target))
	q.next()
	q.engine.Run(s.Length + time.Hour)
	return q.waited
}

// next schedules the next caller that the split sends here.
func (q *queue) next() {
	for len(q.coming) > 0 {
		c := q.coming[0]
		q.coming = q.coming[1:]
		if c.Split < q.share {
			q.engine.At(c.At, func() {
				q.serve(c)
				q.next()
			})
			return
		}
	}
}

func (q *queue) serve(c caller) {
	answered := false
	answer := func() {
		if !answered && c.At >= q.warm {
			q.waited += (q.engine.Now() - c.At).Seconds()
		}
		answered = true
	}
	first := answer
	if c.Class == signal.Total {
		first = nil
	}
	call := q.server.Call(c.work, first, func(upstream.Outcome) { answer() })
	if c.Patience > 0 {
		q.engine.After(c.Patience, func() {
			answered = true
			call.Cancel()
		})
	}
}
