// Package scenario is what the fleet is put through, S1 to S17 of SIGNALS.md §7, and how one of them is run.
package scenario
