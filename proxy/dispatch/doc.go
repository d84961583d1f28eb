// Package dispatch carries one request to an answer: it ranks the targets of a group, walks them with
// retries and fallbacks, relays the answer, and feeds every signal on the way.
//
// There is one Dispatcher a node; Serve may be called concurrently. Once an event with content has been
// written to the client nothing is tried again: that is the commit point, and the code says where it is. A stream
// is held there: what is left of it, its Rest, may go on from another goroutine than the request came on.
package dispatch
