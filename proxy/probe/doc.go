// Package probe asks upstreams whether they are there, for targets whose model has a health check. Each
// target is asked by one node of the fleet; what that finds reaches the others through the signals.
//
// A Prober has one Run. It feeds no latency signal: a list of models says nothing of how fast one answers.
package probe
