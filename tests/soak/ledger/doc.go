// Package ledger writes down what happened to every request of a soak on both sides of the gateway, and
// judges whether the two sides fit together and fit docs/cooldown.md.
//
// A Ledger may be used from any number of goroutines.
package ledger
