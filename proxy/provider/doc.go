// Package provider holds what the dialects of upstreams have in common: how a request is built and what of its
// header passes, what an error says however far a server strays from its API, and what an answer or an event of a
// stream may be.
//
// A Dialect is how one kind of upstream is reached; a Wire is how the answers of one endpoint read. The packages below
// this one give the values. Both are plain data that never changes, and may be used from any number of goroutines.
// Nothing is ever kept of the bytes that are passed in.
package provider
