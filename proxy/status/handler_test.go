package status_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/proxy/status"
)

// listening serves one report and returns how to ask for a path.
func listening(t *testing.T, r status.Report, registry prometheus.Gatherer) func(method, path string) (*http.Response, string) {
	t.Helper()
	return serving(t, status.Config{
		Ready: func(time.Time) error { return nil }, Report: func(time.Time) status.Report { return r }, Metrics: registry,
	})
}

func serving(t *testing.T, cfg status.Config) func(method, path string) (*http.Response, string) {
	t.Helper()
	srv := httptest.NewServer(status.New(cfg))
	t.Cleanup(srv.Close)
	return func(method, path string) (*http.Response, string) {
		t.Helper()
		req, err := http.NewRequest(method, srv.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := srv.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp, string(b)
	}
}

func TestANodeIsAliveWhateverItsStateAndReadyOnlyWhenItServes(t *testing.T) {
	for name, why := range map[string]error{"serving": nil, "draining": errors.New("draining"), "new": errors.New("no configuration yet")} {
		ask := serving(t, status.Config{Ready: func(time.Time) error { return why }, Metrics: prometheus.NewRegistry()})
		status, says := 200, "ready"
		if why != nil {
			status, says = 503, why.Error()
		}
		// Load balancers ask each second: the answer costs no report, which is nil here.
		if resp, body := ask("GET", "/readyz"); resp.StatusCode != status || body != says+"\n" {
			t.Errorf("%s: readyz says %d %q, want %d with %q", name, resp.StatusCode, body, status, says)
		}
		if resp, body := ask("GET", "/livez"); resp.StatusCode != 200 || body != "ok\n" {
			t.Errorf("%s: livez says %d %q", name, resp.StatusCode, body)
		}
	}
}

func TestTheReportIsToldWhole(t *testing.T) {
	want := status.Report{
		NodeStatus: core.NodeStatus{ID: "n", Version: "v1", Cell: "eu", Revision: 7, Rejected: []core.Fault{{Ref: core.Ref{Kind: core.KindModel, ID: "m"}, Pointer: "/provider", Rule: "reference", Severity: core.SeverityReject, Message: "no such provider"}}},
		Ready:      true, Store: status.Store{Error: "away"}, Peers: 3,
		Sharing: status.Sharing{Mode: "tree", Aggregator: "n", Degraded: true, ViewAgeSeconds: 1, IntervalSeconds: 2, Fuse: "slow", Uncompacted: true},
		Targets: []status.TargetStatus{{Model: "m", Provider: "p", CoolingFor: 1.5, InFlight: 2, TTFT: &status.SignalEstimate{LatencySeconds: 0.2, Weight: 3, Failures: 0.1, AgeSeconds: 4}}},
	}
	resp, body := listening(t, want, prometheus.NewRegistry())("GET", "/status")
	var got status.Report
	if err := json.Unmarshal([]byte(body), &got); err != nil || resp.Header.Get("Content-Type") != "application/json" {
		t.Fatalf("%s: %v, headers %v", body, err, resp.Header)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
	if strings.Contains(body, `"total"`) {
		t.Errorf("a class that was never measured is shown: %s", body)
	}
}

func TestMetricsAreThoseOfTheRegistry(t *testing.T) {
	registry := prometheus.NewRegistry()
	c := prometheus.NewCounter(prometheus.CounterOpts{Name: "a_total", Help: "A."})
	registry.MustRegister(c)
	c.Add(3)
	if resp, body := listening(t, status.Report{}, registry)("GET", "/metrics"); resp.StatusCode != 200 || !strings.Contains(body, "\na_total 3\n") {
		t.Errorf("got %d %s", resp.StatusCode, body)
	}
}

func TestNothingCanBeChangedHere(t *testing.T) {
	ask := listening(t, status.Report{Ready: true}, prometheus.NewRegistry())
	for _, path := range []string{"/livez", "/readyz", "/status", "/metrics"} {
		for _, method := range []string{"POST", "PUT", "PATCH", "DELETE"} {
			if resp, _ := ask(method, path); resp.StatusCode != http.StatusMethodNotAllowed {
				t.Errorf("%s %s: %d, want 405", method, path, resp.StatusCode)
			}
		}
	}
	for _, path := range []string{"/", "/debug/pprof/", "/v1/models", "/status/x"} {
		if resp, _ := ask("GET", path); resp.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %d, want 404", path, resp.StatusCode)
		}
	}
}
