package inspect

import (
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/calibrate"
	"github.com/sluice-gateway/sluice/core/decision"
	"github.com/sluice-gateway/sluice/core/vector"
	"github.com/sluice-gateway/sluice/proxy/embed"
)

// calibrateLimit is how long the answer to a calibration may take: some dozens of calls to an embedding endpoint.
const calibrateLimit = 2 * time.Minute

// calibrate answers how well a semantic routing tells labelled prompts apart.
func (h *Handler) calibrate(w http.ResponseWriter, r *http.Request) {
	// The listener's own limit is for a scrape. A writer that cannot be given more time ends the answer, not the node.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(calibrateLimit))
	var q calibrate.Question
	if c := read(w, r, &q); c != nil {
		complain(w, http.StatusUnprocessableEntity, c)
		return
	}
	if !h.slow.take(r.Context()) {
		return // whoever asked has left
	}
	defer h.slow.give()
	t, faults := h.trial(&q)
	if len(faults) > 0 {
		complain(w, http.StatusUnprocessableEntity, &decision.Complaint{Message: "the routing cannot be calibrated", Faults: faults})
		return
	}
	set := t.collection.Vectors()
	if set == nil {
		complain(w, http.StatusServiceUnavailable, &decision.Complaint{Message: "the examples of the routing have no vectors yet"})
		return
	}
	samples, err := h.samples(r, &q, t, set)
	if err != nil {
		complain(w, http.StatusServiceUnavailable, &decision.Complaint{Message: err.Error()})
		return
	}
	result := calibrate.Judge(t.members, t.group.Semantic.Fallback, samples)
	result.Node, result.Routing, result.Close = h.cfg.Node, q.Routing, closeness(&q)
	result.ClosePairs, result.MorePairs = calibrate.Pairs(set, result.Close, func(target, example int) string {
		return fmt.Sprintf("/targets/%d/examples/%d", t.places[target], example)
	})
	respond(w, http.StatusOK, result)
}

// trial is a routing that is to be calibrated.
type trial struct {
	group      *core.Group
	collection *embed.Collection
	members    []calibrate.Member
	places     []int // of the members among the targets of the stored routing
	labels     []int // of the prompts, as indices of members
}

func (h *Handler) trial(q *calibrate.Question) (trial, []core.Fault) {
	state := h.cfg.State()
	if state == nil {
		return trial{}, []core.Fault{decision.Wrong("/routing", "reference", "the node has no configuration yet")}
	}
	g, known := state.Group(q.Routing)
	if !known || g.Semantic == nil {
		return trial{}, []core.Fault{decision.Wrong("/routing", "semantic", strconv.Quote(q.Routing)+" is no semantic routing that this node serves")}
	}
	t := trial{group: g, collection: state.Examples.Of(g)}
	if t.collection == nil {
		return t, []core.Fault{decision.Wrong("/routing", "examples", "the examples of the routing cannot be embedded")}
	}
	stored := state.Document.Routings[q.Routing]
	for i := range g.Members {
		m := &g.Members[i]
		name := nameOf(m)
		t.members = append(t.members, calibrate.Member{Name: name, Examples: len(m.Examples), Threshold: m.Threshold})
		t.places = append(t.places, slices.IndexFunc(stored.Targets, func(x core.RoutingTarget) bool { return x.Model == name }))
	}
	var faults []core.Fault
	for i, p := range q.Prompts {
		at := slices.IndexFunc(t.members, func(m calibrate.Member) bool { return m.Name == p.Target })
		if at < 0 {
			faults = append(faults, decision.Wrong("/prompts/"+strconv.Itoa(i)+"/target", "reference", strconv.Quote(p.Target)+" is no target of the routing that this node serves"))
		}
		t.labels = append(t.labels, at)
	}
	return t, faults
}

func nameOf(m *core.Member) string {
	if m.Group != nil {
		return m.Group.ID
	}
	return m.Target.Model
}

func closeness(q *calibrate.Question) float64 {
	if q.Close == nil {
		return calibrate.DefaultClose
	}
	return *q.Close
}

// samples embeds the prompts and compares them. One without text is compared with nothing.
func (h *Handler) samples(r *http.Request, q *calibrate.Question, t trial, set *vector.Set) ([]calibrate.Sample, error) {
	var texts []string
	with := make([]bool, len(q.Prompts))
	for i, p := range q.Prompts {
		if text := embed.Text([]string{p.Text}, embed.DefaultTextLimit); text != "" {
			texts, with[i] = append(texts, text), true
		}
	}
	vectors, err := h.cfg.Examples.Embed(r.Context(), t.collection.Endpoint(), texts)
	if err != nil {
		return nil, fmt.Errorf("the prompts cannot be embedded: %w", err)
	}
	var matches []vector.Match
	out := make([]calibrate.Sample, len(q.Prompts))
	for i := range out {
		out[i] = calibrate.Sample{Belongs: t.labels[i], Scores: slices.Repeat([]float64{math.NaN()}, len(t.members))}
		if !with[i] {
			continue
		}
		if matches, err = set.Match(matches, vectors[0]); err != nil {
			return nil, fmt.Errorf("the prompts cannot be compared with the examples: %w", err)
		}
		vectors = vectors[1:]
		for k, m := range matches {
			if m.Found() {
				out[i].Scores[k] = m.Score
			}
		}
	}
	return out, nil
}
