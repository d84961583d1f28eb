// Package traffic is the simulated callers: when requests arrive, what each of them asks for, and the luck it
// will have at its upstreams.
package traffic
