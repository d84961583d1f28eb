package metrics

import (
	"strconv"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/proxy/dispatch"
	"github.com/sluice-gateway/sluice/proxy/serve"
)

// seconds are the bounds of every duration histogram: from a cache's answer to the longest reasoning.
var seconds = []float64{.01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600}

// unknown stands for every name that is not configured, be it a client's or that of a model which was
// deleted while a request was under way.
const unknown = "unknown"

// Metrics are the counters and histograms of requests and attempts.
type Metrics struct {
	inFlight   prometheus.Gauge
	requests   *prometheus.CounterVec   // model, endpoint, stream, outcome, code
	duration   *prometheus.HistogramVec // model, endpoint, stream
	answers    *prometheus.CounterVec   // model, target
	attempts   *prometheus.CounterVec   // target, outcome
	attempt    *prometheus.HistogramVec // target
	firstToken *prometheus.HistogramVec // target
	tokens     *prometheus.CounterVec   // target, direction
	cost       *prometheus.CounterVec   // target
	embeddings embeddings

	// mu is held for reading while series are made, so that none is made of a name that is being dropped.
	mu    sync.RWMutex
	names map[string]bool
	// embedders are the providers that embed prompts and examples.
	embedders map[string]bool
}

// New returns the metrics, registered with r.
func New(r prometheus.Registerer) *Metrics {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		v := prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "sluice", Name: name, Help: help}, labels)
		r.MustRegister(v)
		return v
	}
	histogram := func(name, help string, labels ...string) *prometheus.HistogramVec {
		v := prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: "sluice", Name: name, Help: help, Buckets: seconds}, labels)
		r.MustRegister(v)
		return v
	}
	m := &Metrics{
		inFlight:   prometheus.NewGauge(prometheus.GaugeOpts{Namespace: "sluice", Name: "requests_in_flight", Help: "Requests that have begun and not ended."}),
		requests:   counter("requests_total", "Requests by how they ended.", "model", "endpoint", "stream", "outcome", "code"),
		duration:   histogram("request_duration_seconds", "Request read to answer written, in seconds.", "model", "endpoint", "stream"),
		answers:    counter("answers_total", "Requests by the model that was asked for and the target that had the last word.", "model", "target"),
		attempts:   counter("attempts_total", "Attempts on targets by how they ended.", "target", "outcome"),
		attempt:    histogram("attempt_duration_seconds", "Attempt sent to answer complete, in seconds.", "target"),
		firstToken: histogram("time_to_first_token_seconds", "Stream sent to first event with content, in seconds.", "target"),
		tokens:     counter("tokens_total", "Tokens as the upstreams reported them.", "target", "direction"),
		cost:       counter("cost_usd_total", "Price of those tokens, by the models' cost.", "target"),
		embeddings: newEmbeddings(counter, histogram),
		names:      map[string]bool{},
	}
	r.MustRegister(m.inFlight)
	return m
}

// Began counts a request in.
func (m *Metrics) Began() { m.inFlight.Inc() }

// Ended counts a request out.
func (m *Metrics) Ended(r serve.Request) {
	m.inFlight.Dec()
	m.mu.RLock()
	defer m.mu.RUnlock()
	model, stream := m.labelLocked(r.Model), strconv.FormatBool(r.Stream)
	m.requests.WithLabelValues(model, r.Endpoint, stream, r.Result.Outcome, strconv.Itoa(r.Result.Status)).Inc()
	m.duration.WithLabelValues(model, r.Endpoint, stream).Observe(r.Elapsed.Seconds())
	if r.Result.Target != "" {
		m.answers.WithLabelValues(model, m.labelLocked(r.Result.Target)).Inc()
	}
}

// Attempt counts an attempt.
func (m *Metrics) Attempt(a dispatch.Attempt) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	target := m.labelLocked(a.Target.Model)
	m.attempts.WithLabelValues(target, a.Outcome).Inc()
	m.attempt.WithLabelValues(target).Observe(a.Elapsed.Seconds())
	if a.FirstToken > 0 {
		m.firstToken.WithLabelValues(target).Observe(a.FirstToken.Seconds())
	}
	if a.Usage != (dispatch.Usage{}) {
		m.tokens.WithLabelValues(target, "prompt").Add(float64(a.Usage.Prompt))
		m.tokens.WithLabelValues(target, "completion").Add(float64(a.Usage.Completion))
		if price := a.Target.Cost; price != (core.Cost{}) {
			const million = 1e6
			m.cost.WithLabelValues(target).Add((float64(a.Usage.Prompt)*price.InputPer1M + float64(a.Usage.Completion)*price.OutputPer1M) / million)
		}
	}
}

func (m *Metrics) labelLocked(name string) string {
	if m.names[name] {
		return name
	}
	return unknown
}

// Keep drops the series of names that the snapshot does not have, and makes none for them from here on.
func (m *Metrics) Keep(s *core.Snapshot) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now, embedders := make(map[string]bool, len(s.Names())), map[string]bool{}
	for _, name := range s.Names() {
		now[name] = true
		if g, _ := s.Group(name); g.Embeddings != nil {
			embedders[g.Embeddings.Upstream.ID] = true
		}
	}
	for name := range m.names {
		if !now[name] {
			m.dropLocked(name)
		}
	}
	for provider := range m.embedders {
		if !embedders[provider] {
			m.embeddings.drop(provider)
		}
	}
	m.names, m.embedders = now, embedders
}

func (m *Metrics) dropLocked(name string) {
	m.requests.DeletePartialMatch(prometheus.Labels{"model": name})
	m.duration.DeletePartialMatch(prometheus.Labels{"model": name})
	m.answers.DeletePartialMatch(prometheus.Labels{"model": name})
	target := prometheus.Labels{"target": name}
	for _, v := range []interface{ DeletePartialMatch(prometheus.Labels) int }{m.answers, m.attempts, m.attempt, m.firstToken, m.tokens, m.cost} {
		v.DeletePartialMatch(target)
	}
}
