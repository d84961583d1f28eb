// Package chaos is an upstream that speaks the OpenAI API and fails its callers in every way that a weather
// calls for. What it says to whom, and what it was asked, goes into a ledger.
//
// An Upstream may be used from any number of goroutines.
package chaos
