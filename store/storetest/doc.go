// Package storetest is the contract of package store as a test body, run against any etcd: an embedded
// one beside the code, and containers in the tests module. It also has the Relay, a TCP connection to etcd
// that a test can cut, freeze and turn to another etcd.
//
// A Relay may be used from any number of goroutines. Everything else belongs to one test.
package storetest
