// Package apierror is what a caller is told when there is no answer: the gateway's own errors, those of
// upstreams in the gateway's words, and their form on the wire, one file a dialect.
//
// An Error is a plain value. Everything in it is public: addresses, credentials and upstream bodies stay
// outside.
package apierror
