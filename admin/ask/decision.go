package ask

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/decision"
)

// Found is what the nodes remember of a request.
type Found struct {
	// Decision is nil when no node that could be asked remembers the request.
	Decision *decision.Decision
	// Asked is how many nodes were asked.
	Asked int
	// Unreachable are those that could not be, by name.
	Unreachable []*Unreachable
}

// Decision asks all live nodes, or the one of that name, for the decision about a request. Where callers choose request
// ids, several nodes may remember one: the latest decision is returned. The error is ErrNoNode or the store's.
func (n *Nodes) Decision(ctx context.Context, node, requestID string) (Found, error) {
	ctx, cancel := context.WithTimeout(ctx, findLimit)
	defer cancel()
	which := n.live
	if node != "" {
		which = func(ctx context.Context) ([]core.NodeStatus, error) { return n.choose(ctx, node) }
	}
	nodes, err := which(ctx)
	if err != nil {
		return Found{}, err
	}
	s := search{nodes: n, path: "/decisions/" + url.PathEscape(requestID)}
	s.all(ctx, nodes)
	slices.SortFunc(s.found.Unreachable, func(a, b *Unreachable) int { return strings.Compare(a.Node, b.Node) })
	return s.found, nil
}

type search struct {
	nodes *Nodes
	path  string

	mu    sync.Mutex
	found Found
}

func (s *search) all(ctx context.Context, nodes []core.NodeStatus) {
	var asked sync.WaitGroup
	room := make(chan struct{}, atOnce)
	for _, node := range nodes {
		room <- struct{}{}
		asked.Go(func() {
			defer func() { <-room }()
			s.one(ctx, node)
		})
	}
	asked.Wait()
}

func (s *search) one(ctx context.Context, node core.NodeStatus) {
	var d decision.Decision
	err := s.nodes.ask(ctx, node, http.MethodGet, s.path, nil, &d)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.found.Asked++
	refused, away := new(Refused), new(Unreachable)
	switch {
	case err == nil:
		if s.found.Decision == nil || d.Time.After(s.found.Decision.Time) {
			s.found.Decision = &d
		}
	case errors.As(err, &away):
		s.found.Unreachable = append(s.found.Unreachable, away)
	case errors.As(err, &refused) && refused.Status != http.StatusNotFound:
		s.found.Unreachable = append(s.found.Unreachable, &Unreachable{node.ID, refused.Complaint.Message})
	}
}
