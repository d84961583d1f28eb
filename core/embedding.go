package core

import (
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// embeddings checks who embeds and applies the defaults.
func (k *checker) embeddings(e *Embeddings) EmbeddingPolicy {
	p := EmbeddingPolicy{
		Upstream:   k.embedder(e.Provider),
		Model:      e.Model,
		URL:        e.Endpoint,
		Dimensions: valueOr(e.Dimensions, 0),
		Timeout:    time.Duration(valueOr(e.Timeout, Duration(DefaultEmbeddingTimeout))),
	}
	k.require(e.Dimensions == nil || (*e.Dimensions >= 1 && *e.Dimensions <= MaxDimensions), "/semantic/embeddings/dimensions", "range",
		"dimensions must be from 1 to "+strconv.Itoa(MaxDimensions))
	k.require(p.Timeout > 0, "/semantic/embeddings/timeout", "minimum", "timeout must be above zero")
	endpoint := k.endpoint(e.Endpoint)
	if p.Upstream == nil {
		return p
	}
	p.Deployment = p.Upstream.Kind == ProviderAzureOpenAI
	if p.Deployment {
		k.deployment(e.Endpoint, endpoint)
		return p
	}
	k.require(e.Model != "", "/semantic/embeddings/model", "required", "model must name the provider's embedding model")
	return p
}

// embedder returns the upstream that embeds; nil with a fault if there is none that can.
func (k *checker) embedder(id string) *Upstream {
	const pointer = "/semantic/embeddings/provider"
	if _, stored := k.c.doc.Providers[id]; !stored {
		k.require(false, pointer, "reference", "provider "+strconv.Quote(id)+" does not exist")
		return nil
	}
	u := k.c.upstreams[id]
	if !k.require(u != nil, pointer, "reference", "provider "+strconv.Quote(id)+" cannot be served") {
		return nil
	}
	if !k.require(u.Kind == ProviderOpenAI || u.Kind == ProviderAzureOpenAI, pointer, "embeddings",
		"provider "+strconv.Quote(id)+" is of kind "+strconv.Quote(string(u.Kind))+`; embeddings need "openai" or "azure-openai"`) {
		return nil
	}
	return u
}

// endpoint checks the URL of an endpoint and returns it; nil for none, or for one that is no URL.
func (k *checker) endpoint(raw string) *url.URL {
	const pointer = "/semantic/embeddings/endpoint"
	if raw == "" {
		return nil
	}
	u, err := url.Parse(raw)
	if !k.require(err == nil, pointer, "url", "endpoint is not a URL") {
		return nil
	}
	k.require(u.Scheme == "http" || u.Scheme == "https", pointer, "scheme", "endpoint must begin with http:// or https://")
	k.require(u.Hostname() != "", pointer, "host", "endpoint must name a host")
	if err := k.c.site.Reach.Host(u.Hostname()); err != nil {
		k.require(false, pointer, "reach", "endpoint is out of reach: "+err.Error())
	}
	k.require(u.User == nil, pointer, "userinfo", "endpoint must not hold a user or password; the provider's auth does")
	k.require(!strings.Contains(raw, "#"), pointer, "url", "endpoint must not have a fragment")
	return u
}

var deploymentPath = regexp.MustCompile(`/openai/deployments/[^/]+/embeddings$`)

// deployment checks the endpoint of an azure-openai provider: without its path or version every call would fail, and
// every prompt go to the fallback.
func (k *checker) deployment(raw string, endpoint *url.URL) {
	const pointer = "/semantic/embeddings/endpoint"
	if !k.require(raw != "", pointer, "required", `a provider of kind "azure-openai" needs an endpoint with the path of the deployment and api-version`) || endpoint == nil {
		return
	}
	k.require(deploymentPath.MatchString(endpoint.EscapedPath()), pointer, "deployment",
		"endpoint must have the path of a deployment, /openai/deployments/NAME/embeddings")
	k.require(endpoint.Query().Get("api-version") != "", pointer, "api-version", "endpoint must have the query parameter api-version")
}

// oneEmbedding returns how a routing and the routings among its targets embed, which must be one way: a request embeds
// its prompt once.
func (k *checker) oneEmbedding(own *SemanticPolicy, members []Member) *EmbeddingPolicy {
	var shared *EmbeddingPolicy
	if own != nil {
		shared = &own.Embeddings
	}
	for _, m := range members {
		if m.Group == nil || m.Group.Embeddings == nil {
			continue
		}
		if shared == nil {
			shared = m.Group.Embeddings
		}
		k.require(*shared == *m.Group.Embeddings, "/targets", "one-embedding", "routing "+strconv.Quote(m.Group.ID)+
			" has other embeddings than this routing or one before it; a request embeds its prompt once")
	}
	return shared
}
