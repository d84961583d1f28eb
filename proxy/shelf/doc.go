// Package shelf keeps the vectors of examples in etcd, so that what one node has had embedded no other node and no later
// start has embedded again. It stops before etcd fills up, and takes away what no routing needs any more.
//
// A Shelf may be used from any number of goroutines; it has one Run.
package shelf
