// Package conformance drives the vendors' official SDKs against a node, in front of stubs that speak each kind of upstream's
// native words: what an SDK tells its program is what it would tell of the vendor.
package conformance
