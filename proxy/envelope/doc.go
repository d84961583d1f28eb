// Package envelope reads what routing needs to know of a caller's body and gives the body back with only
// that changed which must change: every other byte, unknown members, spelling of numbers, order and
// escapes included, stays as the caller wrote it and where it is in memory.
//
// An Envelope and a Body never change and may be read from any number of goroutines; they refer to the
// bytes that Parse was given, which must not change either.
package envelope
