// Package admin is the control plane: it serves the admin API over the gateway's store.
//
// A Server may be used from any number of goroutines. Any number of servers may work on one store; they
// need no leader.
package admin
