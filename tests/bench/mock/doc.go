// Package mock is the far side of the benchmark: an OpenAI and Anthropic upstream that costs as little as it can.
//
// It speaks just enough HTTP/1.1 over a bare connection to be driven by Go's HTTP client: keep-alive,
// Content-Length bodies, and chunked streams. Answers are rendered before the first request. An
// Upstream never changes once it serves; each connection has a goroutine of its own.
package mock
