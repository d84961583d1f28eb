package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sluice-gateway/sluice/admin/fleet"
	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/store"
)

// fakeNode is a node that says what the test has it say.
type fakeNode struct {
	w      *world
	id     string
	member *store.Member
}

// join starts a node of the cell "default" and returns once the fleet shows it.
func (w *world) join(id string, status core.NodeStatus) fakeNode {
	w.t.Helper()
	return w.joinIn("default", id, status)
}

func (w *world) joinIn(cell, id string, status core.NodeStatus) fakeNode {
	w.t.Helper()
	n := fakeNode{w, id, w.store.Join(store.MemberConfig{Node: id, Cell: cell})}
	n.say(status)
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { _ = n.member.Run(ctx) })
	w.t.Cleanup(func() { cancel(); running.Wait() })
	w.until(func(nodes []store.NodeRecord) bool {
		for _, r := range nodes {
			if r.Node == id {
				return true
			}
		}
		return false
	})
	return n
}

func (n fakeNode) say(status core.NodeStatus) {
	n.w.t.Helper()
	status.ID = n.id
	raw, err := json.Marshal(status)
	if err != nil {
		n.w.t.Fatal(err)
	}
	n.member.SetStatus(raw)
}

// until returns when the live nodes are as wanted.
func (w *world) until(wanted func([]store.NodeRecord) bool) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	var seen bool
	_ = w.store.WatchNodes(ctx, func(nodes []store.NodeRecord) {
		if seen = wanted(nodes); seen {
			cancel()
		}
	})
	if !seen {
		w.t.Fatal("the fleet did not become as wanted")
	}
}

func TestAWriteWithoutLiveNodesIsServedByAllOfThem(t *testing.T) {
	w := newWorld(t)
	got := w.do("PUT", "/admin/v1/providers/p?wait=5s", providerBody).want(201)
	want := http.Header{"X-Sluice-Wait": {"complete"}, "X-Sluice-Nodes": {"0"}}
	if diff := cmp.Diff(want, waited(got)); diff != "" {
		t.Errorf("headers (-want +got)\n%s", diff)
	}
	if got := w.do("PUT", "/admin/v1/providers/p", providerBody); len(waited(got)) > 0 {
		t.Errorf("a write that does not wait answers %v", waited(got))
	}
}

func waited(a answer) http.Header {
	out := http.Header{}
	for _, name := range []string{"X-Sluice-Wait", "X-Sluice-Nodes", "X-Sluice-Waiting-For"} {
		if v := a.header.Values(name); v != nil {
			out[name] = v
		}
	}
	return out
}

func TestAWriteWaitsUntilEveryNodeServesIt(t *testing.T) {
	w := newWorld(t)
	a, b := w.join("a", core.NodeStatus{}), w.join("b", core.NodeStatus{})
	answers := make(chan answer, 1)
	go func() { answers <- w.do("PUT", "/admin/v1/providers/p?wait=20s", providerBody) }()
	revision := w.written("p")
	a.say(core.NodeStatus{Revision: revision})
	select {
	case got := <-answers:
		t.Fatalf("answered before b served it: %v", got.header)
	default:
	}
	b.say(core.NodeStatus{Revision: revision + 5})
	got := (<-answers).want(201)
	want := http.Header{"X-Sluice-Wait": {"complete"}, "X-Sluice-Nodes": {"2"}}
	if diff := cmp.Diff(want, waited(got)); diff != "" {
		t.Errorf("headers (-want +got)\n%s", diff)
	}
	if got.header.Get("X-Sluice-Revision") != strconv.FormatInt(revision, 10) {
		t.Errorf("X-Sluice-Revision: got %s, want %d", got.header.Get("X-Sluice-Revision"), revision)
	}
}

// written waits until the provider is stored and returns its revision.
func (w *world) written(id string) (revision int64) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	_ = w.store.Watch(ctx, store.Watcher{Publish: func(img store.Image) {
		if item, ok := img.Items[core.Ref{Kind: core.KindProvider, ID: id}]; ok {
			revision = item.Modified
			cancel()
		}
	}})
	if revision == 0 {
		w.t.Fatal("the write did not happen")
	}
	return revision
}

func TestAWaitThatEndsNamesTheNodesThatLag(t *testing.T) {
	w := newWorld(t)
	w.join("b", core.NodeStatus{})
	w.join("a", core.NodeStatus{})
	w.join("c", core.NodeStatus{Revision: 1 << 40})
	for _, c := range []struct {
		method, body string
		status       int
	}{{"PUT", providerBody, 201}, {"PATCH", `{"description":"x"}`, 200}, {"PATCH", `{}`, 200}, {"DELETE", "", 204}} {
		got := w.do(c.method, "/admin/v1/providers/p?wait=250ms", c.body).want(c.status)
		want := http.Header{"X-Sluice-Wait": {"incomplete"}, "X-Sluice-Nodes": {"3"}, "X-Sluice-Waiting-For": {"a,b"}}
		if diff := cmp.Diff(want, waited(got)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", c.method, diff)
		}
	}
}

func TestANodeThatRejectsTheResourceIsNamedAndNotWaitedFor(t *testing.T) {
	w := newWorld(t)
	ref := core.Ref{Kind: core.KindProvider, ID: "p"}
	fault := core.Fault{Ref: ref, Pointer: "/auth/secret", Rule: "environment", Message: "NOT_SET is not set", Severity: core.SeverityReject}
	w.join("a", core.NodeStatus{Revision: 1 << 40, Rejected: []core.Fault{fault}})
	w.join("b", core.NodeStatus{Revision: 1 << 40})
	incomplete := http.Header{"X-Sluice-Wait": {"incomplete"}, "X-Sluice-Nodes": {"2"}, "X-Sluice-Waiting-For": {"a"}}
	complete := http.Header{"X-Sluice-Wait": {"complete"}, "X-Sluice-Nodes": {"2"}}
	for _, c := range []struct {
		method, path, body string
		want               http.Header
	}{
		{"PUT", "providers/p", withSecret("${env:NOT_SET}"), incomplete},
		{"PATCH", "providers/p", `{"description":"x"}`, incomplete},
		{"PUT", "providers/q", withSecret("${env:SET}"), complete},
		{"DELETE", "providers/p", "", complete},
	} {
		got := w.do(c.method, "/admin/v1/"+c.path+"?wait=60s", c.body)
		if diff := cmp.Diff(c.want, waited(got)); diff != "" || got.status >= 300 {
			t.Errorf("%s %s: status %d (-want +got)\n%s", c.method, c.path, got.status, diff)
		}
	}
}

func TestAWriteThatChangedNothingWaitsForNothingNew(t *testing.T) {
	w := newWorld(t)
	w.do("PUT", "/admin/v1/providers/p", providerBody).want(201)
	revision := w.written("p")
	w.join("a", core.NodeStatus{Revision: revision})
	w.do("PUT", "/admin/v1/providers/other", providerBody).want(201)
	got := w.do("PUT", "/admin/v1/providers/p?wait=20s", providerBody).want(200)
	if got.header.Get("X-Sluice-Wait") != "complete" {
		t.Errorf("got %v", waited(got))
	}
}

func TestANodeThatLeavesIsNotWaitedFor(t *testing.T) {
	w := newWorld(t)
	a := w.join("a", core.NodeStatus{})
	answers := make(chan answer, 1)
	go func() { answers <- w.do("PUT", "/admin/v1/providers/p?wait=20s", providerBody) }()
	w.written("p")
	if err := a.member.Leave(context.Background()); err != nil {
		t.Fatal(err)
	}
	if got := (<-answers).want(201); got.header.Get("X-Sluice-Wait") != "complete" {
		t.Errorf("got %v", waited(got))
	}
}

func TestAWaitEndsWhenTheCallerLeaves(t *testing.T) {
	w := newWorld(t)
	w.join("a", core.NodeStatus{})
	ctx, leave := context.WithCancel(context.Background())
	r, err := http.NewRequestWithContext(ctx, http.MethodPut, w.url+"/admin/v1/providers/p?wait=60s", strings.NewReader(providerBody))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = http.Header{"Authorization": {"Bearer " + adminToken}, "Content-Type": {"application/json"}}
	left := make(chan error, 1)
	go func() {
		_, err := http.DefaultClient.Do(r)
		left <- err
	}()
	w.written("p")
	leave()
	if err := <-left; err == nil {
		t.Fatal("the request was answered")
	}
	w.ended() // returns when the handler has
}

func TestAWaitEndsWhenTheServiceStops(t *testing.T) {
	w := newWorld(t)
	w.join("a", core.NodeStatus{})
	answers := make(chan answer, 1)
	go func() { answers <- w.do("PUT", "/admin/v1/providers/p?wait=60s", providerBody) }()
	w.written("p")
	w.api.Stop()
	w.api.Stop()
	if got := (<-answers).want(201); got.header.Get("X-Sluice-Wait") != "incomplete" {
		t.Errorf("got %v", waited(got))
	}
	w.do("GET", "/readyz", "").problem(503, "stopping")
	w.do("GET", "/livez", "").want(200)
}

func TestAWaitIsBounded(t *testing.T) {
	w := newWorld(t)
	for _, wait := range []string{"61s", "1h", "-1s", "0s", "5", "", "soon", "999999999999h"} {
		p := w.do("PUT", "/admin/v1/providers/p?wait="+wait, providerBody).problem(400, "bad-request")
		if got := brief(p.Errors); len(got) != 1 || got[0] != "# wait" {
			t.Errorf("%q: got %v", wait, got)
		}
	}
	w.do("GET", "/admin/v1/providers/p", "").problem(404, "not-found")
}

func TestTheFleetShowsEveryNodeAndWhatItRejects(t *testing.T) {
	w := newWorld(t)
	w.do("PUT", "/admin/v1/providers/p", providerBody).want(201)
	revision := w.written("p")
	fault := core.Fault{Ref: core.Ref{Kind: core.KindProvider, ID: "p"}, Pointer: "/auth/secret", Rule: "environment", Message: "not set", Severity: core.SeverityReject}
	w.join("b", core.NodeStatus{Revision: revision, Version: "1", Cell: "default", Rejected: []core.Fault{fault}})
	w.join("a", core.NodeStatus{Revision: revision - 1, Draining: true})
	bad := w.join("c", core.NodeStatus{})
	bad.member.SetStatus([]byte(`not JSON`))
	w.until(func(nodes []store.NodeRecord) bool { return len(nodes) == 3 && string(nodes[2].Value) == "not JSON" })
	var got fleet.Report
	if err := json.Unmarshal(w.do("GET", "/admin/v1/fleet", "").want(200).body, &got); err != nil {
		t.Fatal(err)
	}
	want := fleet.Report{Revision: revision, Nodes: []fleet.Node{
		{NodeStatus: core.NodeStatus{ID: "a", Revision: revision - 1, Draining: true}, Lagging: true},
		{NodeStatus: core.NodeStatus{ID: "b", Revision: revision, Version: "1", Cell: "default", Rejected: []core.Fault{fault}}},
		{NodeStatus: core.NodeStatus{ID: "c"}, Lagging: true},
	}, Cells: []fleet.Cell{{Name: "default", Members: []fleet.Member{}, Targets: []fleet.Target{}}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("fleet (-want +got)\n%s", diff)
	}
}
