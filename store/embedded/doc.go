// Package embedded runs one etcd member inside this process, for development and for tests. It listens on
// loopback only, compacts its history by itself, and is quiet.
//
// A Server may be used from any number of goroutines.
package embedded
