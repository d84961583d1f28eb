// Package idle holds many streams open that say nothing: an upstream that answers with one token and then
// waits, and clients that wait for more. Neither needs a goroutine for a stream that is open.
//
// An Upstream may be used from any number of goroutines, a Clients from one.
package idle
