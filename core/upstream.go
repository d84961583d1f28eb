package core

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"fmt"
	"net/textproto"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

func (c *compiler) provider(p *Provider) {
	k := c.check(p.Ref())
	k.require(slices.Contains(ProviderKinds(), p.Kind), "/kind", "enum", fmt.Sprintf("kind must be one of %q", ProviderKinds()))
	k.apiVersion(p)
	u := &Upstream{ID: p.ID, Kind: p.Kind, BaseURL: k.baseURL(p.BaseURL), TLS: p.TLS, StreamUsage: p.StreamUsage, Headers: k.headers(p.Headers, p.Auth)}
	u.APIVersion = p.APIVersion
	u.Credential = k.credential(p.Auth, p.Kind)
	u.Pool = k.pool(p.TLS)
	if k.ok {
		u.Credential.Key = credentialKey(u, p.Auth)
		c.upstreams[p.ID] = u
	}
}

// versionShape is what may stand in the query of a URL as it is.
var versionShape = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// apiVersion checks what azure-openai has of its own: its URLs consist of the resource's, a path and the version.
func (k *checker) apiVersion(p *Provider) {
	if p.Kind != ProviderAzureOpenAI {
		k.require(p.APIVersion == "", "/api_version", "exclusive", `api_version belongs to kind "azure-openai"`)
		return
	}
	k.require(p.APIVersion != "", "/api_version", "required", `kind "azure-openai" needs api_version`)
	k.require(p.APIVersion == "" || versionShape.MatchString(p.APIVersion), "/api_version", "version", "api_version must be a version such as 2024-10-21")
	u, err := url.Parse(p.BaseURL)
	k.require(err != nil || !strings.Contains(u.Path+"/", "/openai/"), "/base_url", "resource",
		`base_url of kind "azure-openai" is the resource's URL, without /openai; the v1 API, /openai/v1, is of kind "openai"`)
}

func (k *checker) baseURL(raw string) *url.URL {
	u, err := url.Parse(raw)
	if !k.require(err == nil, "/base_url", "url", "base_url is not a URL") {
		return nil
	}
	k.require(u.Scheme == "http" || u.Scheme == "https", "/base_url", "scheme", "base_url must begin with http:// or https://")
	k.require(u.Hostname() != "", "/base_url", "host", "base_url must name a host")
	if err := k.c.site.Reach.Host(u.Hostname()); err != nil {
		k.require(false, "/base_url", "reach", "base_url is out of reach: "+err.Error())
	}
	k.require(u.User == nil, "/base_url", "userinfo", "base_url must not hold a user or password; use auth")
	k.require(u.RawQuery == "" && !u.ForceQuery && !strings.Contains(raw, "#"), "/base_url", "url", "base_url must not have a query or fragment")
	u.Path, u.RawPath = strings.TrimRight(u.Path, "/"), strings.TrimRight(u.RawPath, "/")
	return u
}

var headerToken = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")

// ownHeaders are the gateway's or the connection's: nothing of a provider may be in them.
var ownHeaders = []string{
	"Accept-Encoding", "Connection", "Content-Encoding", "Content-Length", "Content-Type", "Cookie", "Host", "Keep-Alive",
	"Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "Via", "X-Request-Id",
}

// credentialHeaders belong to auth.
var credentialHeaders = []string{
	"Api-Key", "Authorization", "Proxy-Authorization", "X-Api-Key", "X-Goog-Api-Key",
}

// requestHeaders carry something else than a credential. A provider's headers may set them, auth may not.
var requestHeaders = []string{
	"Accept", "Anthropic-Beta", "Anthropic-Version", "Expect", "Openai-Beta", "Traceparent", "Tracestate", "User-Agent",
}

func (k *checker) headers(in map[string]string, auth *Auth) []Header {
	credential := ""
	if auth != nil {
		credential = textproto.CanonicalMIMEHeaderKey(auth.Header)
	}
	var out []Header
	for _, name := range sortedKeys(in) {
		pointer := "/headers/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
		canonical := textproto.CanonicalMIMEHeaderKey(name)
		k.require(headerToken.MatchString(name), pointer, "header-name", "not a header name")
		reserved := slices.Contains(ownHeaders, canonical) || slices.Contains(credentialHeaders, canonical)
		k.require(!reserved, pointer, "reserved-header", canonical+" is set by the gateway; credentials belong in auth")
		k.require(reserved || canonical != credential, pointer, "reserved-header", canonical+" carries the credential: auth.header names it")
		k.require(validHeaderValue(in[name]), pointer, "header-value", "a header value must not hold control characters")
		twice := slices.ContainsFunc(out, func(h Header) bool { return h.Name == canonical })
		k.require(!twice, pointer, "unique", canonical+" is set twice, in two spellings")
		out = append(out, Header{canonical, in[name]})
	}
	slices.SortFunc(out, func(a, b Header) int { return strings.Compare(a.Name, b.Name) })
	return out
}

func validHeaderValue(v string) bool {
	return !strings.ContainsFunc(v, func(r rune) bool { return (r < ' ' && r != '\t') || r == 0x7f })
}

func (k *checker) credential(a *Auth, kind ProviderKind) Credential {
	if a == nil {
		return Credential{}
	}
	k.require(a.Secret != "", "/auth/secret", "required", "auth needs a secret; leave auth out to send none")
	k.require(a.Query == "" || (a.Header == "" && a.Scheme == nil), "/auth/query", "exclusive", "query excludes header and scheme")
	k.require(a.Header == "" || headerToken.MatchString(a.Header), "/auth/header", "header-name", "not a header name")
	canonical := textproto.CanonicalMIMEHeaderKey(a.Header)
	k.require(!slices.Contains(ownHeaders, canonical) && !slices.Contains(requestHeaders, canonical), "/auth/header", "reserved-header",
		canonical+" is not for credentials: the gateway or the connection sets it")
	secret, err := resolveSecret(a.Secret, k.c.site.Env)
	if err != nil {
		k.require(false, "/auth/secret", "environment", err.Error())
		return Credential{}
	}
	k.require(validHeaderValue(secret.Reveal()), "/auth/secret", "header-value", "the secret holds control characters")
	cred := Credential{Query: a.Query, Value: secret}
	if a.Query == "" {
		cred.Header, cred.Value = headerCredential(a, kind, secret)
	}
	return cred
}

// credentialKey hashes the secret as it is stored, so that nodes of different environments agree, together with
// where it is valid: many self-hosted upstreams go by the same placeholder.
func credentialKey(u *Upstream, a *Auth) string {
	if a == nil {
		return ""
	}
	return digest(a.Secret, u.BaseURL.Scheme, strings.ToLower(u.BaseURL.Host), u.Credential.Header, u.Credential.Query)
}

// credentialHeader is where each kind of upstream looks for a credential.
func credentialHeader(kind ProviderKind) string {
	switch kind {
	case ProviderAzureOpenAI:
		return "Api-Key"
	case ProviderAnthropic:
		return "X-Api-Key"
	}
	return "Authorization"
}

func headerCredential(a *Auth, kind ProviderKind, secret Secret) (string, Secret) {
	header, scheme := textproto.CanonicalMIMEHeaderKey(a.Header), ""
	if header == "" {
		header = credentialHeader(kind)
	}
	if header == "Authorization" {
		scheme = "Bearer"
	}
	if a.Scheme != nil {
		scheme = *a.Scheme
	}
	if scheme == "" {
		return header, secret
	}
	return header, newSecret(scheme + " " + secret.Reveal())
}

// pool checks the TLS settings and returns the name of the connection pool that they call for.
func (k *checker) pool(t *TLS) string {
	if t == nil {
		return "default"
	}
	k.require(t.CAPEM == "" || x509.NewCertPool().AppendCertsFromPEM([]byte(t.CAPEM)), "/tls/ca_pem", "pem", "ca_pem holds no certificate")
	k.require((t.CertPEM == "") == (t.KeyPEM == ""), "/tls", "pair", "cert_pem and key_pem come together")
	if t.CertPEM != "" && t.KeyPEM != "" {
		_, err := tls.X509KeyPair([]byte(t.CertPEM), []byte(t.KeyPEM))
		k.require(err == nil, "/tls/cert_pem", "pem", "cert_pem and key_pem are not a certificate and its key")
	}
	return digest(t.CAPEM, t.ServerName, strconv.FormatBool(t.InsecureSkipVerify), t.CertPEM, t.KeyPEM)
}

// digest returns 16 hexadecimal digits that stand for the parts without revealing them.
func digest(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		h.Write([]byte(strconv.Itoa(len(p))))
		h.Write([]byte{':'})
		h.Write([]byte(p))
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
