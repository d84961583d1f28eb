package etcd

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strings"
	"time"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/network"
	"github.com/testcontainers/testcontainers-go"
	tclog "github.com/testcontainers/testcontainers-go/log"
	tcnetwork "github.com/testcontainers/testcontainers-go/network"
	"github.com/testcontainers/testcontainers-go/wait"
)

const (
	clientPort = "2379/tcp"
	// startLimit is long enough for an election on a busy machine.
	startLimit = 60 * time.Second
	// imageVariable names the image.
	imageVariable = "SLUICE_ETCD_IMAGE"
)

// Cluster is a number of members that know each other.
type Cluster struct {
	network *testcontainers.DockerNetwork
	members []member
}

// member is one etcd in a container. Its endpoint stays the same when it stops and starts again.
type member struct {
	*testcontainers.DockerContainer
	endpoint string
}

// Start returns a cluster of which all members answer. What was started before an error is removed.
func Start(ctx context.Context, size int) (*Cluster, error) {
	image := os.Getenv(imageVariable)
	if image == "" {
		return nil, fmt.Errorf("start etcd: %s names no image: use make", imageVariable)
	}
	net, err := tcnetwork.New(ctx)
	if err != nil {
		return nil, fmt.Errorf("start etcd: docker is needed: %w", err)
	}
	c := &Cluster{network: net}
	if err := c.start(ctx, image, size); err != nil {
		return nil, errors.Join(fmt.Errorf("start etcd: %w", err), c.Close(context.WithoutCancel(ctx)))
	}
	return c, nil
}

func (c *Cluster) start(ctx context.Context, image string, size int) error {
	for i := range size {
		m, err := startMember(ctx, image, c.network, i, size)
		if m.DockerContainer != nil {
			c.members = append(c.members, m)
		}
		if err != nil {
			return err
		}
	}
	return c.ready(ctx)
}

func name(i int) string { return fmt.Sprintf("etcd-%d", i) }

func startMember(ctx context.Context, image string, net *testcontainers.DockerNetwork, i, size int) (member, error) {
	var peers []string
	for peer := range size {
		peers = append(peers, fmt.Sprintf("%s=http://%s:2380", name(peer), name(peer)))
	}
	port, err := freePort(ctx)
	if err != nil {
		return member{}, err
	}
	c, err := testcontainers.Run(ctx, image,
		testcontainers.WithLogger(tclog.NewNoopLogger()), // errors tell enough
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
			"ETCD_INITIAL_CLUSTER":             strings.Join(peers, ","),
			"ETCD_AUTO_COMPACTION_MODE":        "periodic",
			"ETCD_AUTO_COMPACTION_RETENTION":   "5m",
			"ETCD_LOG_LEVEL":                   "warn",
		}),
	)
	return member{c, "http://127.0.0.1:" + port}, err
}

// ready waits until every member answers linearizable reads, which takes a majority.
func (c *Cluster) ready(ctx context.Context) error {
	// Unlike etcdctl, this check needs no login where a test has switched authentication on.
	healthy := wait.ForHTTP("/health").WithPort(clientPort).WithStartupTimeout(startLimit)
	for _, m := range c.members {
		if err := healthy.WaitUntilReady(ctx, m); err != nil {
			return fmt.Errorf("%s: %w", m.endpoint, err)
		}
	}
	return nil
}

// Endpoints returns where clients reach the members.
func (c *Cluster) Endpoints() []string {
	var out []string
	for _, m := range c.members {
		out = append(out, m.endpoint)
	}
	return out
}

// Restart ends every member before it starts any again, and returns when all answer.
func (c *Cluster) Restart(ctx context.Context) error {
	for _, m := range c.members {
		if err := m.Stop(ctx, nil); err != nil {
			return fmt.Errorf("restart etcd: %w", err)
		}
	}
	for _, m := range c.members {
		if err := m.Start(ctx); err != nil {
			return fmt.Errorf("restart etcd: %w", err)
		}
	}
	if err := c.ready(ctx); err != nil {
		return fmt.Errorf("restart etcd: %w", err)
	}
	return nil
}

// Close removes the members and their data.
func (c *Cluster) Close(ctx context.Context) error {
	var faults []error
	for _, m := range c.members {
		faults = append(faults, m.Terminate(ctx))
	}
	return errors.Join(append(faults, c.network.Remove(ctx))...)
}

func freePort(ctx context.Context) (string, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	return port, err
}
