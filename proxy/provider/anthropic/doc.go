// Package anthropic speaks the Anthropic API to upstreams: it tells what an answer or an event of a stream is.
//
// Everything here is a function without state and may be called from any number of goroutines. Nothing is ever kept of
// the bytes that are passed in.
package anthropic
