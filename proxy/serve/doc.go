// Package serve is the edge of the data plane: it gives every request an id, knows its caller, reads and
// bounds its body, resolves the model and hands over to dispatch.
//
// An Edge is an http.Handler and safe for concurrent use. It pins the current snapshot once per request.
//
// A stream that falls silent leaves its handler: what the server holds of a request is a multiple of what an idle
// stream needs. Streams holds such streams, and their connections until the next request comes on them.
package serve
