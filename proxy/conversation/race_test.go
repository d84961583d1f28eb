//go:build race

package conversation_test

// sequences is how many streams are translated from one dialect to another; a dialect to itself needs fewer. These tests
// are one goroutine each: the race detector finds nothing in them that it does not find in a few.
const sequences = 500
