// Package conversationtest judges streams: whether a sequence of events is one that its dialect allows, and what it
// says. It makes such sequences too, as odd as they are allowed to be. It is for tests.
//
// Its functions are pure but for the random source that they are given.
package conversationtest
