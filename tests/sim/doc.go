// Command sim puts simulated fleets through the scenarios of SIGNALS.md §7. The boards and the rankers of the nodes
// are those of the product; clock, network, store, callers and upstreams are simulated, so that an hour of a
// thousand nodes takes seconds and a seed always gives the same result. It prints how the product compares with
// other policies and with the best fixed split of the traffic, and whether it keeps to its limits.
package main
