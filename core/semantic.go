package core

import (
	"cmp"
	"slices"
	"time"
)

// Bounds of semantic routing. Dimensions: several times what the largest embedding models give.
const (
	// MaxExamples is how many examples one target may give.
	MaxExamples = 64
	// MaxDimensions is how many numbers a vector may have; those of the largest models that embed have half as many.
	MaxDimensions = 16384
	// DefaultEmbeddingTimeout bounds the embedding of one prompt: whoever waits for it has not begun to wait for the answer.
	DefaultEmbeddingTimeout = 3 * time.Second
)

// OnEmbeddingFailure says what happens to a request whose prompt could not be compared with the examples.
type OnEmbeddingFailure string

// The choices for OnEmbeddingFailure.
const (
	// EmbeddingFallback serves the request by the catchall, or by the first target if there is none.
	EmbeddingFallback OnEmbeddingFailure = "fallback"
	// EmbeddingFail answers 503.
	EmbeddingFail OnEmbeddingFailure = "fail"
)

// SemanticFailover says where a request goes whose match does not answer.
type SemanticFailover string

// The choices for SemanticFailover.
const (
	// FailoverCleared goes on with the next target that cleared its bar, and with the catchall at last.
	FailoverCleared SemanticFailover = "cleared"
	// FailoverNone keeps the request to its match: for prompts that must not leave a target. A routing of which a target
	// cannot be served is not served at all.
	FailoverNone SemanticFailover = "none"
)

// Semantic holds the settings of the semantic strategy: the prompt picks the target whose examples it resembles most.
type Semantic struct {
	// Embeddings says who turns prompts and examples into vectors. A routing and those nested in it share one.
	Embeddings *Embeddings `json:"embeddings,omitempty"`
	// Threshold is the bar of every target that has none of its own: the cosine from -1 to 1 that its best example must
	// reach. Absent: every target with examples clears, the best match first.
	Threshold *float64 `json:"threshold,omitempty"`
	// OnEmbeddingFailure defaults to fallback.
	OnEmbeddingFailure OnEmbeddingFailure `json:"on_embedding_failure,omitempty"`
	// Failover defaults to cleared.
	Failover SemanticFailover `json:"failover,omitempty"`
	// ExposeScores adds X-AI-Semantic-Route and X-AI-Semantic-Scores to answers. Default false.
	ExposeScores bool `json:"expose_scores,omitempty"`
}

// Embeddings names an embedding endpoint.
type Embeddings struct {
	// Provider is the id of a provider of kind openai or azure-openai, whose credential, headers and TLS are used.
	Provider string `json:"provider"`
	// Model is the provider's name of the embedding model. For azure-openai the endpoint's deployment names it, and it
	// may be left out.
	Model string `json:"model,omitempty"`
	// Endpoint is the whole URL, over the provider's base URL with /embeddings. Required for azure-openai, with the
	// deployment's path and api-version.
	Endpoint string `json:"endpoint,omitempty"`
	// Dimensions asks for vectors of that many. Absent: as many as the model gives.
	Dimensions *int `json:"dimensions,omitempty"`
	// Timeout bounds the embedding of one prompt. Default 3s.
	Timeout *Duration `json:"timeout,omitempty"`
}

// SemanticPolicy is a Semantic with all defaults applied.
type SemanticPolicy struct {
	Embeddings EmbeddingPolicy
	OnFailure  OnEmbeddingFailure
	Failover   SemanticFailover
	Expose     bool
	// Fallback is the index of the member that serves what clears no bar: the catchall, or the first.
	Fallback int
	// Catchall: Fallback is a catchall, which also stands behind those that cleared.
	Catchall bool
}

// EmbeddingPolicy is where a routing's texts are embedded. Routings that embed alike have equal ones.
type EmbeddingPolicy struct {
	Upstream *Upstream
	// URL is the whole URL of the endpoint; empty: /embeddings below the upstream's base URL.
	URL   string
	Model string
	// Deployment: the URL names the model, as Azure's does, and the body does not.
	Deployment bool
	Dimensions int // 0: as many as the model gives
	Timeout    time.Duration
}

// semantic checks the settings and applies the defaults; nil unless the strategy is semantic. A member that is left
// out leaves the index of the catchall right: it is looked for among those that are there.
func (k *checker) semantic(r *Routing, members []Member) *SemanticPolicy {
	if r.Strategy != StrategySemantic || r.Semantic == nil {
		return nil
	}
	s := r.Semantic
	p := &SemanticPolicy{
		OnFailure: cmp.Or(s.OnEmbeddingFailure, EmbeddingFallback),
		Failover:  cmp.Or(s.Failover, FailoverCleared),
		Expose:    s.ExposeScores,
		Fallback:  slices.IndexFunc(members, func(m Member) bool { return m.catchall }),
	}
	p.Catchall, p.Fallback = p.Fallback >= 0, max(p.Fallback, 0)
	k.require(p.OnFailure == EmbeddingFallback || p.OnFailure == EmbeddingFail, "/semantic/on_embedding_failure", "enum",
		`on_embedding_failure must be "fallback" or "fail"`)
	k.require(p.Failover == FailoverCleared || p.Failover == FailoverNone, "/semantic/failover", "enum", `failover must be "cleared" or "none"`)
	k.require(p.Failover != FailoverNone || len(members) == len(r.Targets), "/semantic/failover", "whole",
		`with failover "none" every target must be one that can be served: the prompts of one that is left out would go to another`)
	k.require(s.Threshold == nil || isCosine(*s.Threshold), "/semantic/threshold", "range", "threshold must be from -1 to 1")
	if k.require(s.Embeddings != nil, "/semantic/embeddings", "required", "embeddings must say who turns prompts and examples into vectors") {
		p.Embeddings = k.embeddings(s.Embeddings)
	}
	return p
}

// isCosine reports whether some pair of vectors can have that cosine; NaN is none.
func isCosine(x float64) bool { return x >= -1 && x <= 1 }
