package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"

	"github.com/sluice-gateway/sluice/admin"
	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/store"
	"github.com/sluice-gateway/sluice/store/embedded"
)

// controlRole serves the control plane: an etcd in the given folder and the admin API before it, for which
// the token comes in the environment.
func controlRole(dir string) error {
	etcd, err := embedded.Start(embedded.Config{Dir: dir, UnsafeNoFsync: true})
	if err != nil {
		return err
	}
	defer etcd.Close()
	st, err := store.Open(store.Config{Endpoints: etcd.Endpoints(), PlainSecrets: true})
	if err != nil {
		return err
	}
	defer st.Close()
	server, err := admin.New(admin.Config{Store: st, AdminTokens: []string{os.Getenv(tokenVariable)}})
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	if err := announce(map[string]string{"etcd": etcd.Endpoints()[0], "admin": "http://" + l.Addr().String()}); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		untilStdinEnds()
		cancel()
	}()
	return server.Serve(ctx, l)
}

const tokenVariable = "SLUICE_ADMIN_TOKEN"

// control is the control plane as the benchmark sees it.
type control struct{ admin, token, etcd string }

func (s *stage) control(ctx context.Context, dir string) (control, error) {
	c := control{token: rand.Text()}
	cmd := roleCommand(ctx, "control", dir)
	cmd.Env = append(cmd.Env, tokenVariable+"="+c.token)
	addresses, err := s.announced(cmd)
	c.admin, c.etcd = addresses["admin"], addresses["etcd"]
	return c, err
}

// configure writes what the load asks for: for each dialect of the one upstream a least_latency routing over two models.
func (c control) configure(ctx context.Context, upstream string) error {
	hash := sha256.Sum256([]byte(callerKey))
	resources := []core.Resource{
		&core.Provider{ID: "mock", Kind: core.ProviderOpenAI, BaseURL: upstream + "/v1", Auth: &core.Auth{Secret: "upstream-secret"}},
		&core.Model{ID: "bench-a", Provider: "mock", UpstreamModel: "mock-a"},
		&core.Model{ID: "bench-b", Provider: "mock", UpstreamModel: "mock-b"},
		&core.Routing{ID: passedModel, Strategy: core.StrategyLeastLatency, Targets: []core.RoutingTarget{{Model: "bench-a"}, {Model: "bench-b"}}},
		&core.Provider{ID: "native", Kind: core.ProviderAnthropic, BaseURL: upstream + "/v1", Auth: &core.Auth{Secret: "upstream-secret"}},
		&core.Model{ID: "translated-a", Provider: "native", UpstreamModel: "mock-a"},
		&core.Model{ID: "translated-b", Provider: "native", UpstreamModel: "mock-b"},
		&core.Routing{ID: translatedModel, Strategy: core.StrategyLeastLatency, Targets: []core.RoutingTarget{{Model: "translated-a"}, {Model: "translated-b"}}},
		&core.APIKey{ID: "bench", KeySHA256: hex.EncodeToString(hash[:]), AllowedModels: []string{"*"}},
	}
	for _, r := range resources {
		if err := c.put(ctx, r); err != nil {
			return fmt.Errorf("put %s: %w", r.Ref(), err)
		}
	}
	return nil
}

func (c control) put(ctx context.Context, r core.Resource) error {
	raw, err := json.Marshal(r)
	if err != nil {
		return err
	}
	url := c.admin + "/admin/v1/" + r.Ref().Kind.Plural() + "/" + r.Ref().ID
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, url, bytes.NewReader(raw))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		body, _ := io.ReadAll(resp.Body)
		return fmt.Errorf("status %d: %s", resp.StatusCode, body)
	}
	return nil
}
