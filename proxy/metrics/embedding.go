package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/sluice-gateway/sluice/proxy/embed"
)

// embeddings are the counters and histograms of what turns prompts and examples into vectors.
type embeddings struct {
	calls    *prometheus.CounterVec   // provider, outcome
	duration *prometheus.HistogramVec // provider
	prompts  *prometheus.CounterVec   // provider, outcome
}

func newEmbeddings(counter func(name, help string, labels ...string) *prometheus.CounterVec, histogram func(name, help string, labels ...string) *prometheus.HistogramVec) embeddings {
	return embeddings{
		calls:    counter("embedding_calls_total", "Calls of embedding endpoints by how they ended.", "provider", "outcome"),
		duration: histogram("embedding_call_duration_seconds", "Embedding call sent to vectors read, or to its failure, in seconds.", "provider"),
		prompts:  counter("embedding_prompts_total", "Prompts to be compared with examples by how they came to their vector, or did not.", "provider", "outcome"),
	}
}

func (e *embeddings) drop(provider string) {
	of := prometheus.Labels{"provider": provider}
	e.calls.DeletePartialMatch(of)
	e.duration.DeletePartialMatch(of)
	e.prompts.DeletePartialMatch(of)
}

// EmbeddingCalled counts a call for a prompt or for examples; an empty cause is success.
func (m *Metrics) EmbeddingCalled(upstream string, cause embed.Cause, elapsed time.Duration) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	provider, outcome := m.embedderLocked(upstream), string(cause)
	if cause == "" {
		outcome = "ok"
	}
	m.embeddings.calls.WithLabelValues(provider, outcome).Inc()
	m.embeddings.duration.WithLabelValues(provider).Observe(elapsed.Seconds())
}

// PromptLooked counts a prompt.
func (m *Metrics) PromptLooked(upstream string, outcome embed.Outcome) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	m.embeddings.prompts.WithLabelValues(m.embedderLocked(upstream), string(outcome)).Inc()
}

func (m *Metrics) embedderLocked(provider string) string {
	if m.embedders[provider] {
		return provider
	}
	return unknown
}

// semanticFamilies tell how far the examples of semantic routings are.
type semanticFamilies struct{ examples, vectors, alone family }

func newSemanticFamilies(add declare) semanticFamilies {
	const gauge = prometheus.GaugeValue
	return semanticFamilies{
		examples: add(gauge, "semantic_examples", "Examples of a semantic routing.", "model"),
		vectors:  add(gauge, "semantic_vectors", "Examples of a semantic routing whose vectors are in use; until all are, its fallback serves.", "model"),
		alone:    add(gauge, "embedding_left_alone", "1 while no request waits for the embedding endpoint, because it keeps failing.", "provider"),
	}
}

func (f *semanticFamilies) collect(send emit, states []embed.State) {
	alone := map[string]bool{}
	for _, s := range states {
		ready := 0.0
		if s.Ready {
			ready = float64(s.Texts)
		}
		send(f.examples, float64(s.Texts), s.Name)
		send(f.vectors, ready, s.Name)
		alone[s.Upstream] = alone[s.Upstream] || s.Alone
	}
	for provider, is := range alone {
		send(f.alone, one(is), provider)
	}
}
