//go:build e2e

package contract

import (
	"context"
	"testing"

	"github.com/sluice-gateway/sluice/store/storetest"
)

func TestStoreOverOneMember(t *testing.T) { contract(t, 1) }

func TestStoreOverThreeMembers(t *testing.T) { contract(t, 3) }

// contract runs the store's contract over clusters of that size.
func contract(t *testing.T, size int) {
	storetest.Run(t, func(t *testing.T) storetest.Cluster {
		members := newCluster(t, size)
		return storetest.Cluster{Endpoints: endpoints(members), Restart: func(t testing.TB) []string {
			restart(t, members)
			return endpoints(members)
		}}
	})
}

func endpoints(members []member) []string {
	var out []string
	for _, m := range members {
		out = append(out, m.endpoint)
	}
	return out
}

// restart ends every member before it starts any again.
func restart(t testing.TB, members []member) {
	t.Helper()
	for _, m := range members {
		if err := m.Stop(context.Background(), nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, m := range members {
		if err := m.Start(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	for _, m := range members {
		m.waitReady(t)
	}
}
