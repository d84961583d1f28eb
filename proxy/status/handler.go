package status

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/proxy/inspect"
)

// Report is the answer of /status.
type Report struct {
	core.NodeStatus
	// Ready: the node has a snapshot, the fleet can see it, and it is not draining.
	Ready bool `json:"ready"`
	// Store says whether the control plane's store is reached; the node serves either way.
	Store Store `json:"store"`
	// Peers is how many nodes of the cell share signals, this one included.
	Peers   int            `json:"peers"`
	Sharing Sharing        `json:"sharing"`
	Targets []TargetStatus `json:"targets"`
	// Semantic has an entry for each semantic routing.
	Semantic []SemanticStatus `json:"semantic,omitempty"`
}

// SemanticStatus is how far the examples of one semantic routing are.
type SemanticStatus struct {
	Routing string `json:"routing"`
	// Provider embeds its texts.
	Provider string `json:"provider"`
	// Ready: every example has its vector, of so many Dimensions. Until then the routing's fallback serves.
	Ready      bool `json:"ready"`
	Dimensions int  `json:"dimensions,omitempty"`
	Examples   int  `json:"examples"`
	Missing    int  `json:"missing"`
	// Failure is why the last call for examples failed; absent: it did not.
	Failure string `json:"failure,omitempty"`
	// LeftAlone: the endpoint keeps failing, and no request waits for it.
	LeftAlone bool `json:"left_alone,omitempty"`
}

// Sharing is the node's part in what the nodes of its cell measure together.
type Sharing struct {
	// Mode is flat (every node follows every other) or tree (all follow the aggregator).
	Mode       string `json:"mode"`
	Aggregator string `json:"aggregator,omitempty"`
	// Degraded: what is known of the others, of ViewAgeSeconds ago, is too old to go by.
	Degraded       bool    `json:"degraded"`
	ViewAgeSeconds float64 `json:"view_age_seconds"`
	// IntervalSeconds is the time between two regular writes.
	IntervalSeconds float64 `json:"interval_seconds"`
	// Fuse is closed, slow or open: what the node does so that signals never fill the store.
	Fuse string `json:"fuse"`
	// Uncompacted: the store keeps a history of more than 30 minutes.
	Uncompacted bool `json:"uncompacted"`
}

// Store is the state of the connection to etcd.
type Store struct {
	Connected bool   `json:"connected"`
	Error     string `json:"error,omitempty"`
}

// TargetStatus is what the node knows of one model's upstream.
type TargetStatus struct {
	Model    string `json:"model"`
	Provider string `json:"provider"`
	// CoolingFor is how long the target stays set aside, in seconds; 0: it is in use.
	CoolingFor float64         `json:"cooling_for_seconds"`
	InFlight   int             `json:"in_flight"`
	TTFT       *SignalEstimate `json:"ttft,omitempty"`
	Total      *SignalEstimate `json:"total,omitempty"`
}

// SignalEstimate is the fleet's merged estimate of one class; absent when nothing has been measured.
type SignalEstimate struct {
	LatencySeconds float64 `json:"latency_seconds"`
	// Weight is the number of samples behind it, aged.
	Weight float64 `json:"weight"`
	// Failures is the share of attempts that failed, aged, 0 to 1.
	Failures float64 `json:"failures"`
	// AgeSeconds is the time since any node's last sample.
	AgeSeconds float64 `json:"age_seconds"`
}

// Config is what the handler tells of. All fields are required.
type Config struct {
	// Ready returns nil when traffic should come here, and otherwise says why not. Load balancers ask often: it
	// must be cheap.
	Ready func(now time.Time) error
	// Report returns the node's whole account of itself.
	Report  func(now time.Time) Report
	Metrics prometheus.Gatherer
	// Inspect answers questions about decisions, to whoever has the node's token.
	Inspect *inspect.Handler
}

// New returns the handler of the status listener.
func New(cfg Config) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { text(w, http.StatusOK, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if err := cfg.Ready(time.Now()); err != nil {
			text(w, http.StatusServiceUnavailable, err.Error())
			return
		}
		text(w, http.StatusOK, "ready")
	})
	mux.HandleFunc("GET /status", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		enc.Encode(cfg.Report(time.Now()))
	})
	mux.Handle("GET /metrics", promhttp.HandlerFor(cfg.Metrics, promhttp.HandlerOpts{}))
	for _, path := range cfg.Inspect.Paths() {
		mux.Handle(path, cfg.Inspect)
	}
	return mux
}

func text(w http.ResponseWriter, status int, s string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	w.Write([]byte(s + "\n"))
}
