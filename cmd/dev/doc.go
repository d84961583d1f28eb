// Package dev runs a whole Sluice in one process for trying it out: an embedded etcd, the admin service, one
// proxy node and two demo upstreams of different speed, with resources for a first request.
//
// Run starts the parts in the order in which they need each other and stops them in reverse. What they write is
// kept in one folder, which one Run at a time may use.
package dev
