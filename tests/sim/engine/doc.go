// Package engine runs a simulation: events in order of time on a clock that only they advance, and streams of
// random numbers that depend on nothing but the seed and what they are for.
//
// An Engine belongs to one goroutine; engines do not know of each other.
package engine
