// Package recent remembers what was last said of the things that were touched lately, in bounded memory and
// without timers or goroutines.
//
// A Map is safe for concurrent use; its one lock is held for a few lookups and never over I/O.
package recent
