package embed

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/sluice-gateway/sluice/core"
)

// Collections are those of one snapshot: one for each of its semantic routings, those within others included. It never
// changes. Only the vectors of its collections do.
type Collections struct {
	list    []*Collection
	byGroup map[*core.Group]*Collection
}

// Collect returns the collections of a snapshot, without vectors. A routing whose examples cannot be embedded has none,
// and the error says why; there may be collections beside it.
func Collect(s *core.Snapshot) (Collections, error) {
	out := Collections{byGroup: map[*core.Group]*Collection{}}
	var faults []error
	for _, name := range s.Names() {
		g, _ := s.Group(name)
		if g.Semantic == nil {
			continue
		}
		c, err := collect(g)
		if err != nil {
			faults = append(faults, fmt.Errorf("routing %q: %w", g.ID, err))
			continue
		}
		out.list = append(out.list, c)
		out.byGroup[g] = c
	}
	return out, errors.Join(faults...)
}

func collect(g *core.Group) (*Collection, error) {
	e, err := NewEndpoint(g.Semantic.Embeddings)
	if err != nil {
		return nil, err
	}
	targets := make([][]string, len(g.Members))
	for i := range g.Members {
		for _, example := range g.Members[i].Examples {
			// As a prompt is prepared, so that one that reads the same is the same. One of exotic white space stays as it is.
			targets[i] = append(targets[i], cmp.Or(Text([]string{example}, DefaultTextLimit), example))
		}
	}
	return NewCollection(g.ID, e, targets)
}

// Of returns the collection of a semantic group of the snapshot; nil: its examples cannot be embedded.
func (c Collections) Of(g *core.Group) *Collection { return c.byGroup[g] }

// List returns all of them, by the name of their routing. The caller must not change the slice.
func (c Collections) List() []*Collection { return c.list }
