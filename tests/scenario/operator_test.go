package scenario

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// operator speaks to the admin API as a person with curl would.
type operator struct {
	t     *testing.T
	url   string
	token string
	http  *http.Client
}

func newOperator(t *testing.T, env Environment) *operator {
	a := env.Admin()
	client := &http.Client{Timeout: patience, Transport: &http.Transport{}}
	t.Cleanup(client.CloseIdleConnections)
	return &operator{t, a.URL, a.Token, client}
}

// as returns the same operator with another token; "" sends none.
func (o *operator) as(token string) *operator {
	other := *o
	other.token = token
	return &other
}

// answer is what came back.
type answer struct {
	Status int
	Header http.Header
	Body   string
}

// json decodes the body, or returns nil.
func (a answer) json() map[string]any {
	var out map[string]any
	if json.Unmarshal([]byte(a.Body), &out) != nil {
		return nil
	}
	return out
}

// send makes one request. header holds names and values in turn.
func (o *operator) send(method, path, body string, header ...string) (answer, error) {
	req, err := http.NewRequestWithContext(o.t.Context(), method, o.url+path, strings.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if o.token != "" {
		req.Header.Set("Authorization", "Bearer "+o.token)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := o.http.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	return answer{resp.StatusCode, resp.Header, string(raw)}, err
}

// must makes one request that has to be answered with the status.
func (o *operator) must(status int, method, path, body string, header ...string) answer {
	o.t.Helper()
	a, err := o.send(method, path, body, header...)
	if err != nil {
		o.t.Fatalf("%s %s: %v", method, path, err)
	}
	if a.Status != status {
		o.t.Fatalf("%s %s: got %d, want %d\nsent: %s\nanswer: %s", method, path, a.Status, status, body, a.Body)
	}
	return a
}

// put stores a resource, waits until every node serves it, and deletes it when the test ends. path is
// the collection and the id, such as "models/fast".
func (o *operator) put(path, body string) {
	o.t.Helper()
	o.written(http.MethodPut, path, body)
	o.t.Cleanup(func() { o.forget(path) })
}

// written makes a write and waits until every node serves it.
func (o *operator) written(method, path, body string) {
	o.t.Helper()
	a, err := o.send(method, "/admin/v1/"+path+"?wait=15s", body)
	switch {
	case err != nil:
		o.t.Fatalf("%s %s: %v", method, path, err)
	case a.Status < 200 || a.Status > 299:
		o.t.Fatalf("%s %s: got %d, want 2xx\nsent: %s\nanswer: %s", method, path, a.Status, body, a.Body)
	case a.Header.Get("X-Sluice-Wait") != "complete":
		o.t.Fatalf("%s %s: X-Sluice-Wait is %q, waiting for %q", method, path, a.Header.Get("X-Sluice-Wait"), a.Header.Get("X-Sluice-Waiting-For"))
	}
}

// forget deletes a resource; the context of the test has ended by then.
func (o *operator) forget(path string) {
	req, err := http.NewRequest(http.MethodDelete, o.url+"/admin/v1/"+path, nil)
	if err != nil {
		o.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+o.token)
	resp, err := o.http.Do(req)
	if err != nil {
		o.t.Errorf("delete %s: %v", path, err)
		return
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusNoContent && resp.StatusCode != http.StatusNotFound {
		o.t.Errorf("delete %s: got %d, want 204 or 404", path, resp.StatusCode)
	}
}

// node is what /fleet and /status say of one proxy.
type node struct {
	ID       string    `json:"id"`
	Revision int64     `json:"revision"`
	Started  time.Time `json:"started_at"`
}

// fleet returns the nodes that the admin knows to be alive.
func (o *operator) fleet() ([]node, error) {
	a, err := o.send(http.MethodGet, "/admin/v1/fleet", "")
	if err != nil {
		return nil, err
	}
	var out struct {
		Nodes []node `json:"nodes"`
	}
	return out.Nodes, json.Unmarshal([]byte(a.Body), &out)
}

// joined returns nil when the admin knows every proxy, so that a write with ?wait= waits for it.
func (o *operator) joined(proxies []Proxy) error {
	nodes, err := o.fleet()
	if err != nil {
		return err
	}
	for _, p := range proxies {
		if id := idOf(o.t, p); !slices.ContainsFunc(nodes, func(n node) bool { return n.ID == id }) {
			return fmt.Errorf("%s (%s) is not in the fleet: %v", p.API, id, nodes)
		}
	}
	return nil
}
