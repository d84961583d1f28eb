// Package live turns what the store holds into what requests are served from: it decodes and compiles
// each image, keeps the last good value of a resource that it cannot accept, and publishes the result
// behind one atomic pointer.
//
// Load may be called from any goroutine. Offer and Advance are called by the watcher, Run is the one
// writer.
package live
