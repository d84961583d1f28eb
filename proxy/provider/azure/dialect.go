package azure

import (
	"net/url"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/proxy/provider"
)

// Dialect is how a resource is reached. The credential is a key of the resource: a token of Entra would have to be renewed.
var Dialect = provider.Dialect{
	URL:            location,
	Forwarded:      []string{"Openai-Beta", "Traceparent", "Tracestate"},
	Returned:       []string{"Openai-Processing-Ms", "Openai-Version"},
	ReturnedPrefix: "X-Ratelimit-",
	RequestID:      "Apim-Request-Id",
}

// location returns where an endpoint of the resource is. Most of them belong to a deployment, which the URL names; the
// body may name it too and does, for the others go by that.
func location(t *core.Target, path string) *url.URL {
	base := t.Upstream.BaseURL
	u := *base
	u.Path, u.RawPath = base.Path+"/openai"+path, ""
	if deployed(path) {
		const deployments = "/openai/deployments/"
		u.Path = base.Path + deployments + t.UpstreamModel + path
		u.RawPath = base.EscapedPath() + deployments + url.PathEscape(t.UpstreamModel) + path
	} else if base.RawPath != "" {
		u.RawPath = base.RawPath + "/openai" + path
	}
	u.RawQuery = "api-version=" + t.Upstream.APIVersion
	return &u
}

// deployed reports whether the endpoint belongs to a deployment.
func deployed(path string) bool {
	switch path {
	case "/chat/completions", "/completions", "/embeddings", "/images/generations":
		return true
	}
	return false
}
