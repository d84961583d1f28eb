package core

// ProviderKind says which dialect an upstream speaks.
type ProviderKind string

// ProviderOpenAI is any server that speaks the OpenAI API.
const ProviderOpenAI ProviderKind = "openai"

// ProviderAzureOpenAI is a resource of Azure OpenAI: the deployment is part of the URL, and so is the version.
const ProviderAzureOpenAI ProviderKind = "azure-openai"

// ProviderAnthropic is any server that speaks the Anthropic API.
const ProviderAnthropic ProviderKind = "anthropic"

// ProviderKinds returns every kind of provider.
func ProviderKinds() []ProviderKind {
	return []ProviderKind{ProviderOpenAI, ProviderAzureOpenAI, ProviderAnthropic}
}

// Provider says where an upstream is and how to reach it.
type Provider struct {
	ID          string            `json:"id"`
	Description string            `json:"description,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
	Kind        ProviderKind      `json:"kind"`
	// BaseURL is what endpoint paths are appended to, such as https://api.openai.com/v1; of azure-openai, the resource's
	// URL, such as https://NAME.openai.azure.com.
	BaseURL string `json:"base_url"`
	// APIVersion is the version of the API that azure-openai is asked in, such as 2024-10-21. Required there, and refused
	// for any other kind.
	APIVersion string            `json:"api_version,omitempty"`
	Auth       *Auth             `json:"auth,omitempty"`
	Headers    map[string]string `json:"headers,omitempty"`
	TLS        *TLS              `json:"tls,omitempty"`
	Timeouts   *Timeouts         `json:"timeouts,omitempty"`
	// StreamUsage asks the upstream for token counts at the end of every stream (stream_options.include_usage).
	// A client that did not ask for them does not see them.
	StreamUsage bool `json:"stream_usage,omitempty"`
}

// Auth says how the gateway proves itself to an upstream: Secret in a header (with a scheme before it)
// or in a query parameter.
type Auth struct {
	// Secret is the credential, or "${env:NAME}" to take it from the environment of each node.
	Secret string `json:"secret"`
	// Header defaults, when Query is empty, to Authorization, for azure-openai to Api-Key, for anthropic to X-Api-Key.
	Header string `json:"header,omitempty"`
	// Scheme stands before the secret in the header; it defaults to Bearer for Authorization and to
	// nothing for any other header. An empty string given on purpose sends the bare secret.
	Scheme *string `json:"scheme,omitempty"`
	// Query names a query parameter that carries the secret instead of a header.
	Query string `json:"query,omitempty"`
}

// TLS adjusts the connection to an https upstream.
type TLS struct {
	// CAPEM replaces the system's roots.
	CAPEM string `json:"ca_pem,omitempty"`
	// ServerName overrides the name that the certificate is checked against.
	ServerName string `json:"server_name,omitempty"`
	// InsecureSkipVerify accepts any certificate.
	InsecureSkipVerify bool `json:"insecure_skip_verify,omitempty"`
	// CertPEM and KeyPEM are the client's certificate; both or neither.
	CertPEM string `json:"cert_pem,omitempty"`
	KeyPEM  string `json:"key_pem,omitempty"`
}

// Timeouts bound one attempt. A nil field inherits (routing over model over provider over default); zero
// means none.
type Timeouts struct {
	// Connect bounds name resolution, TCP and TLS together. Default 5s.
	Connect *Duration `json:"connect,omitempty"`
	// FirstToken bounds the wait of a stream, request sent to first event with content. Default 60s.
	FirstToken *Duration `json:"first_token,omitempty"`
	// Idle bounds the gap between two reads of a stream. Default 60s.
	Idle *Duration `json:"idle,omitempty"`
	// Attempt bounds the whole attempt. Default 10m.
	Attempt *Duration `json:"attempt,omitempty"`
}
