// Package etcd runs a cluster of etcd members in containers, for tests that need the real thing. It needs
// Docker and the image that `make images` builds.
//
// A Cluster may be used from any number of goroutines.
package etcd
