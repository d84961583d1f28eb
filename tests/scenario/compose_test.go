//go:build e2e

package scenario

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"

	"github.com/sluice-gateway/sluice/tests/upstream"
)

func TestCompose(t *testing.T) {
	e := newCompose(t)
	run(t, e)
	t.Run("containers-are-healthy", func(t *testing.T) { e.healthy(t, "etcd", "admin", "proxy", "demo-fast", "demo-slow") })
	t.Run("the-demo-upstreams-answer", func(t *testing.T) { theDemoUpstreamsAnswer(t, e) })
}

func TestComposeWithThreeEtcdMembers(t *testing.T) {
	e := newCompose(t, "--env-file", "../../deploy/cluster.env", "--profile", "cluster")
	anyMemberOfEtcdDiesUnderLoad(t, e)
}

// compose is the stack of docker-compose.yml under a project name of its own.
type compose struct {
	admin   Admin
	command []string // docker compose or docker-compose, with its files
	project string
	env     []string
	docker  *testcontainers.DockerProvider

	mu      sync.Mutex
	proxies []container
	buried  strings.Builder // logs of containers that are gone
}

// container is one running proxy.
type container struct {
	Proxy
	id string
}

func newCompose(t *testing.T, flags ...string) *compose {
	t.Helper()
	if os.Getenv("SLUICE_ETCD_IMAGE") == "" {
		t.Fatal("SLUICE_ETCD_IMAGE names no image: run `make e2e`")
	}
	docker, err := testcontainers.NewDockerProvider()
	if err != nil {
		t.Fatalf("docker is needed: %v", err)
	}
	t.Cleanup(func() { docker.Close() })
	e := &compose{
		docker: docker, project: "sluice-e2e-" + strings.ToLower(rand.Text()[:8]),
		admin: Admin{Token: rand.Text(), ViewerToken: rand.Text()},
	}
	e.command = append(composeCommand(t), "-f", "../../docker-compose.yml", "-f", "testdata/compose.yml", "-p", e.project)
	e.command = append(e.command, flags...)
	// Empty ports are chosen by docker, so that nothing else on this machine is in the way.
	e.env = append(os.Environ(), "SLUICE_ADMIN_TOKEN="+e.admin.Token, "SLUICE_VIEWER_TOKEN="+e.admin.ViewerToken,
		"SLUICE_ADMIN_PORT=", "SLUICE_PROXY_PORTS=", "SLUICE_STATUS_PORTS=", "SLUICE_LOG_LEVEL=debug")
	t.Cleanup(func() { e.compose(t, "down", "--volumes", "--timeout", "5") })
	e.compose(t, "up", "--detach", "--no-build")
	e.refresh(t)
	e.admin.URL = "http://" + e.address(t, e.containers(t, "admin")[0], "8081/tcp")
	return e
}

func composeCommand(t *testing.T) []string {
	t.Helper()
	for _, command := range [][]string{{"docker", "compose"}, {"docker-compose"}} {
		if exec.Command(command[0], append(command[1:], "version")...).Run() == nil {
			return command
		}
	}
	t.Fatal("docker compose is needed, as a plugin of docker or as docker-compose")
	return nil
}

// gateway returns the address of this machine that extra_hosts calls host-gateway: docker's default bridge,
// or loopback where docker runs in a virtual machine that forwards to it.
func gateway() string {
	bridge, err := net.InterfaceByName("docker0")
	if err != nil {
		return "127.0.0.1"
	}
	addresses, err := bridge.Addrs()
	if err != nil || len(addresses) == 0 {
		return "127.0.0.1"
	}
	address, _, _ := strings.Cut(addresses[0].String(), "/")
	return address
}

func (e *compose) compose(t *testing.T, args ...string) {
	t.Helper()
	cmd := exec.Command(e.command[0], append(slices.Clone(e.command[1:]), args...)...)
	cmd.Env = e.env
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("compose %v: %v\n%s", args, err, out)
	}
}

// containers returns the running containers of a service.
func (e *compose) containers(t *testing.T, service string) []*testcontainers.DockerContainer {
	t.Helper()
	list, err := e.docker.Client().ContainerList(context.Background(), client.ContainerListOptions{Filters: client.Filters{}.
		Add("label", "com.docker.compose.project="+e.project, "com.docker.compose.service="+service).Add("status", "running")})
	if err != nil {
		t.Fatal(err)
	}
	var out []*testcontainers.DockerContainer
	for _, summary := range list.Items {
		c, err := e.docker.ContainerFromType(context.Background(), summary)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, c)
	}
	return out
}

// address returns where a port of the container is published.
func (e *compose) address(t *testing.T, c *testcontainers.DockerContainer, port string) string {
	t.Helper()
	mapped, err := c.MappedPort(context.Background(), port)
	if err != nil {
		t.Fatal(err)
	}
	return net.JoinHostPort("127.0.0.1", mapped.Port())
}

// refresh looks up the proxies that run now and waits until they are ready.
func (e *compose) refresh(t *testing.T) {
	t.Helper()
	var proxies []container
	for _, c := range e.containers(t, "proxy") {
		p := Proxy{"http://" + e.address(t, c, "8080/tcp"), "http://" + e.address(t, c, "9090/tcp")}
		eventually(t, patience, func() error { return isReady(context.Background(), p) })
		proxies = append(proxies, container{p, c.GetContainerID()})
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.proxies = proxies
}

// healthy waits until docker's own health checks of the services pass.
func (e *compose) healthy(t *testing.T, services ...string) {
	t.Helper()
	for _, service := range services {
		for _, c := range e.containers(t, service) {
			eventually(t, patience, func() error {
				state, err := c.State(t.Context())
				if err == nil && (state.Health == nil || state.Health.Status != "healthy") {
					err = fmt.Errorf("a container of %s is not healthy: %+v", service, state.Health)
				}
				return err
			})
		}
	}
}

func (e *compose) Admin() Admin { return e.admin }

func (e *compose) Proxies() []Proxy {
	e.mu.Lock()
	defer e.mu.Unlock()
	var out []Proxy
	for _, c := range e.proxies {
		out = append(out, c.Proxy)
	}
	return out
}

func (e *compose) Scale(t *testing.T, n int) {
	t.Helper()
	e.bury(t)
	e.compose(t, "up", "--detach", "--no-build", "--no-recreate", "--no-deps", "--scale", fmt.Sprintf("proxy=%d", n), "proxy")
	e.refresh(t)
	if got := len(e.Proxies()); got != n {
		t.Fatalf("%d proxies run, want %d", got, n)
	}
	o := newOperator(t, e)
	eventually(t, patience, func() error { return o.joined(e.Proxies()) })
}

func (e *compose) Kill(t *testing.T, p Proxy) {
	t.Helper()
	e.mu.Lock()
	defer e.mu.Unlock()
	at := slices.IndexFunc(e.proxies, func(c container) bool { return c.Proxy == p })
	if _, err := e.docker.Client().ContainerKill(t.Context(), e.proxies[at].id, client.ContainerKillOptions{Signal: "KILL"}); err != nil {
		t.Fatal(err)
	}
	e.proxies = slices.Delete(slices.Clone(e.proxies), at, at+1)
}

func (e *compose) StopStore(t *testing.T) { e.compose(t, "stop", "etcd") }

func (e *compose) StartStore(t *testing.T) { e.compose(t, "start", "etcd") }

func (e *compose) StoreEndpoints(t *testing.T) []string {
	return []string{"http://" + e.address(t, e.containers(t, "etcd")[0], "2379/tcp")}
}

func (e *compose) Upstream(t *testing.T, b upstream.Behaviour) Upstream {
	t.Helper()
	s, err := upstream.Start(gateway(), b)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Die)
	return Upstream{s, "http://upstream.test:" + s.Port() + "/v1"}
}

// bury keeps the logs of the proxies that run now, some of which may go.
func (e *compose) bury(t *testing.T) {
	t.Helper()
	for _, c := range e.containers(t, "proxy") {
		e.buried.WriteString(logsOf(t, c))
	}
}

func (e *compose) Logs(t *testing.T) string {
	t.Helper()
	out := e.buried.String()
	for _, service := range []string{"admin", "proxy"} {
		for _, c := range e.containers(t, service) {
			out += logsOf(t, c)
		}
	}
	return out
}

func logsOf(t *testing.T, c *testcontainers.DockerContainer) string {
	t.Helper()
	r, err := c.Logs(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	out, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
