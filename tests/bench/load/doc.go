// Package load sends chat completions at a server and times the answers.
//
// It writes prepared bytes to bare connections and scans what comes back, so that the generator takes
// little of a machine that it shares with what it measures. A connection belongs to one goroutine;
// Closed and Open own every goroutine that they start and return when all have ended.
package load
