// Package journal remembers what a node decided about its latest requests, in memory that does not grow with traffic.
//
// A Journal is a ring: each new decision takes the place of the oldest, together with the memory of its ranking. It
// holds no prompt, body or credential. A Journal is safe for concurrent use; an Entry is for one goroutine at a time.
package journal
