package policy

import (
	"fmt"

	"github.com/sluice-gateway/sluice/core"
)

// Named is a policy as reports name it.
type Named struct {
	Name string
	// Ours: the product's ranking decides.
	Ours bool
	// Ablation: one part of it is changed to show what that part is worth.
	Ablation bool
	// Shared: the nodes share what they measure.
	Shared bool
	// Group sets what the product's own policy reads from the routing.
	Group func(*core.Group)
	// New makes the policy for one simulation of so many nodes and targets.
	New func(nodes, targets int) Policy
}

// All returns the product's policies and the others', the product's default first.
func All() []Named {
	plain := func(*core.Group) {}
	fresh := func(p Policy) func(int, int) Policy { return func(int, int) Policy { return p } }
	metered := func(pair bool, make func() meter) func(int, int) Policy {
		return func(nodes, targets int) Policy { return newLocal(nodes, targets, pair, make) }
	}
	return append(product(),
		Named{Name: "random", Group: plain, New: fresh(random{})},
		Named{Name: "last-10 argmin", Group: plain, New: metered(false, func() meter { return &lastTen{} })},
		Named{Name: "ewma-0.3 argmin", Group: plain, New: metered(false, func() meter { return &average{} })},
		Named{Name: "kong ewma p2c", Group: plain, New: metered(true, func() meter { return &decaying{} })},
		Named{Name: "finagle p2c", Group: plain, New: metered(true, func() meter { return &peak{} })},
		Named{Name: "shared argmin", Shared: true, Group: plain, New: fresh(sharedArgmin{})},
	)
}

// Find returns the policy of that name.
func Find(name string) (Named, error) {
	for _, p := range append(All(), Ablations()...) {
		if p.Name == name {
			return p, nil
		}
	}
	return Named{}, fmt.Errorf("no policy is called %q", name)
}

// Fixed is a split of the traffic that never changes: what the gates compare with.
func Fixed(name string, shares []float64) Named {
	return Named{Name: name, Group: func(*core.Group) {}, New: func(int, int) Policy { return split{shares: shares} }}
}
