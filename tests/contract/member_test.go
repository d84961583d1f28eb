//go:build e2e

package contract

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/network"
	"github.com/testcontainers/testcontainers-go"
	tcnetwork "github.com/testcontainers/testcontainers-go/network"
	"github.com/testcontainers/testcontainers-go/wait"
)

const (
	clientPort = "2379/tcp"
	// startLimit is long enough for an election on a busy machine.
	startLimit = 60 * time.Second
)

// member is one etcd in a container. Its endpoint stays the same when it stops and starts again.
type member struct {
	*testcontainers.DockerContainer
	endpoint string
}

// newCluster starts etcd members that know each other and waits until all of them answer.
func newCluster(t *testing.T, size int) []member {
	t.Helper()
	net, err := tcnetwork.New(t.Context())
	if err != nil {
		t.Fatalf("docker is needed: %v", err)
	}
	t.Cleanup(func() { net.Remove(context.Background()) })
	var members []member
	for i := range size {
		members = append(members, start(t, net, i, size))
	}
	for _, m := range members {
		m.waitReady(t)
	}
	return members
}

func name(i int) string { return fmt.Sprintf("etcd-%d", i) }

func start(t *testing.T, net *testcontainers.DockerNetwork, i, size int) member {
	t.Helper()
	image := os.Getenv("SLUICE_ETCD_IMAGE")
	if image == "" {
		t.Fatal("SLUICE_ETCD_IMAGE names no image: run `make e2e`")
	}
	var cluster []string
	for peer := range size {
		cluster = append(cluster, fmt.Sprintf("%s=http://%s:2380", name(peer), name(peer)))
	}
	port := freePort(t)
	c, err := testcontainers.Run(t.Context(), image,
		testcontainers.WithExposedPorts(clientPort),
		tcnetwork.WithNetwork([]string{name(i)}, net),
		testcontainers.WithHostConfigModifier(func(h *container.HostConfig) {
			h.PortBindings = network.PortMap{network.MustParsePort(clientPort): {{HostIP: netip.MustParseAddr("127.0.0.1"), HostPort: port}}}
		}),
		testcontainers.WithEnv(map[string]string{
			"ETCD_NAME":                        name(i),
			"ETCD_DATA_DIR":                    "/var/lib/etcd/data",
			"ETCD_LISTEN_CLIENT_URLS":          "http://0.0.0.0:2379",
			"ETCD_ADVERTISE_CLIENT_URLS":       "http://127.0.0.1:" + port,
			"ETCD_LISTEN_PEER_URLS":            "http://0.0.0.0:2380",
			"ETCD_INITIAL_ADVERTISE_PEER_URLS": "http://" + name(i) + ":2380",
			"ETCD_INITIAL_CLUSTER":             strings.Join(cluster, ","),
			"ETCD_LOG_LEVEL":                   "warn",
		}),
	)
	testcontainers.CleanupContainer(t, c)
	if err != nil {
		t.Fatal(err)
	}
	return member{c, "http://127.0.0.1:" + port}
}

// waitReady waits until the member answers linearizable reads, which takes a majority.
func (m member) waitReady(t testing.TB) {
	t.Helper()
	// Unlike etcdctl, this check needs no login where a test has switched authentication on.
	healthy := wait.ForHTTP("/health").WithPort(clientPort).WithStartupTimeout(startLimit)
	if err := healthy.WaitUntilReady(context.Background(), m); err != nil {
		t.Fatal(err)
	}
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}
