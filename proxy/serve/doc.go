// Package serve is the edge of the data plane: it gives every request an id, knows its caller, reads and
// bounds its body, resolves the model and hands over to dispatch.
//
// An Edge is an http.Handler and safe for concurrent use. It pins the current snapshot once per request.
package serve
