// Package endpoint is the table of what callers may ask for: in whose words, what its body and its answers look like,
// which kinds of upstream can answer and what an answer teaches.
//
// An upstream answers in the dialect in which it was asked. Where its kind has not the caller's endpoint a Detour leads to
// one that it has, and dispatch translates the body of an attempt and what comes back.
//
// An Endpoint never changes and may be read from any number of goroutines.
package endpoint
