package dispatch

import (
	"io"

	"github.com/sluice-gateway/sluice/proxy/budget"
)

// metered reads an answer and takes what it brings from the budget, what was taken ahead first.
type metered struct {
	src    io.Reader
	budget *budget.Budget
	taken  int64
	read   int64
}

func (m *metered) take(n int64) bool {
	if !m.budget.Take(n) {
		return false
	}
	m.taken += n
	return true
}

// Read reads from the upstream; errNoRoom when the budget is used up.
func (m *metered) Read(b []byte) (int, error) {
	n, err := m.src.Read(b)
	m.read += int64(n)
	if m.read > m.taken && !m.take(m.read-m.taken) {
		return 0, errNoRoom
	}
	return n, err
}

func (m *metered) give() { m.budget.Give(m.taken) }
