// Command crowd lets many nodes share synthetic measurements over a real etcd of three members, in containers, and
// prints what that costs and how soon all know the same, beside the formulas of the design:
//
//	N nodes that write every I: N/I writes a second, N²/I values delivered where everyone follows everyone, and
//	N/I + N/I where an aggregator follows all and everyone follows it; v bytes each.
//
// A node here is what a proxy runs of package share and of signal.Board, without HTTP.
package main
