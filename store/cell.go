package store

import (
	"context"
	"fmt"

	"github.com/sluice-gateway/sluice/core"
)

// Signals returns what each node of the cell has put last by Member.PutSignals, sorted by name.
func (s *Store) Signals(ctx context.Context, cell string) ([]NodeRecord, error) {
	if err := core.CheckID(cell); err != nil {
		return nil, fmt.Errorf("read signals: cell %q: %w", cell, err)
	}
	r := s.keys.cell(cell)
	l, err := s.list(ctx, r)
	if err != nil {
		return nil, fmt.Errorf("read signals: %w", err)
	}
	return sorted(nodeRecords(r, l)), nil
}
