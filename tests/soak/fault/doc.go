// Package fault lists what upstreams do to their callers in a soak, and what must follow from each: the table
// of docs/cooldown.md as data.
//
// A Weather may be used from any number of goroutines; everything else is a plain value.
package fault
