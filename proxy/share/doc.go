// Package share makes one fleet of the nodes: it registers this node under its lease, publishes what the
// node measures and what it serves, and feeds the measurements of the others to the board.
//
// Everything here runs beside the request path and never on it. A Sharer's methods are safe for
// concurrent use.
package share
