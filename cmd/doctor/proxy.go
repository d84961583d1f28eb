package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/sluice-gateway/sluice/admin/fleet"
	"github.com/sluice-gateway/sluice/proxy/status"
)

const (
	// proxyLimit is as long as a load balancer waits, or longer.
	proxyLimit = 5 * time.Second
	// maxStatus is several times the status of ten thousand models.
	maxStatus = 64 << 20
)

// proxy examines one node by its status listener. The report may be empty.
func proxy(ctx context.Context, base string, r fleet.Report) Check {
	name := "proxy " + base
	client := &http.Client{Timeout: proxyLimit}
	defer client.CloseIdleConnections()
	code, why, err := get(ctx, client, base+"/readyz")
	if err != nil {
		return fail(name, "start the node, or give the address of its status listener, port 9090 as a rule", "%v", err)
	}
	if code != http.StatusOK {
		return fail(name, "load balancers send it nothing as long as it says so", "not ready: %s", strings.TrimSpace(string(why)))
	}
	var node status.Report
	if _, body, err := get(ctx, client, base+"/status"); err != nil {
		return fail(name, "see the node's log", "%v", err)
	} else if err := json.Unmarshal(body, &node); err != nil || node.ID == "" {
		return fail(name, "give the address of a status listener, port 9090 as a rule", "%s/status is not that of a node", base)
	}
	switch {
	case !node.Store.Connected:
		return warn(name, "it serves what it knows; see whether it can reach etcd", "%s is ready but does not reach etcd: %s", node.ID, node.Store.Error)
	case node.Sharing.Degraded:
		return warn(name, "see its metric sluice_fleet_view_age_seconds and the cell's aggregator, if there is one", "%s has not heard of the others for %.0f s", node.ID, node.Sharing.ViewAgeSeconds)
	case len(r.Nodes) > 0 && !lives(r, node.ID):
		return warn(name, "see whether it uses the same etcd and prefix as the admin service", "%s is ready, but the fleet does not know it", node.ID)
	}
	return ok(name, "%s is ready at revision %d and sees %d of its cell", node.ID, node.Revision, node.Peers)
}

func lives(r fleet.Report, id string) bool {
	for _, n := range r.Nodes {
		if n.ID == id {
			return true
		}
	}
	return false
}

func get(ctx context.Context, client *http.Client, url string) (int, []byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return 0, nil, err
	}
	resp, err := client.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxStatus))
	if err != nil {
		return 0, nil, fmt.Errorf("read %s: %w", url, err)
	}
	return resp.StatusCode, body, nil
}
