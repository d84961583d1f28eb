// Package storetest is the contract of package store as a test body, run against any etcd: an embedded
// one beside the code, and containers in the tests module.
package storetest
