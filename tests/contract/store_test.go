//go:build e2e

package contract

import (
	"context"
	"testing"

	"github.com/sluice-gateway/sluice/store/storetest"
	"github.com/sluice-gateway/sluice/tests/etcd"
)

func TestStoreOverOneMember(t *testing.T) { contract(t, 1) }

func TestStoreOverThreeMembers(t *testing.T) { contract(t, 3) }

// contract runs the store's contract over clusters of that size.
func contract(t *testing.T, size int) {
	storetest.Run(t, func(t *testing.T) storetest.Cluster {
		c, err := etcd.Start(t.Context(), size)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := c.Close(context.Background()); err != nil {
				t.Error(err)
			}
		})
		return storetest.Cluster{Endpoints: c.Endpoints(), Restart: func(t testing.TB) []string {
			t.Helper()
			if err := c.Restart(context.Background()); err != nil {
				t.Fatal(err)
			}
			return c.Endpoints()
		}}
	})
}
