// Package proxy is the data plane: a node that follows the store, serves the API from the snapshot that it
// compiled, and shares what it measures with the fleet.
//
// A Node is a value with a lifecycle: New, one Run, gone.
package proxy
