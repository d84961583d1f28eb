//go:build !race

package conversation_test

// sequences is how many streams are translated from one dialect to another; a dialect to itself needs fewer.
const sequences = 10_000
