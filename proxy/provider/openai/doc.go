// Package openai speaks the OpenAI API to upstreams: it tells what an answer, an event of a stream or an error is,
// however far a server strays from the API.
//
// Everything here is a function without state and may be called from any number of goroutines. Nothing
// is ever kept of the bytes that are passed in.
package openai
