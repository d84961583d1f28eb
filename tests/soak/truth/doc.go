// Package truth writes requests and answers that say whose they are, so that whoever reads one can tell a
// whole answer from one that is cut, doubled, glued from two, or another request's.
//
// Everything here is a pure function or a plain value.
package truth
