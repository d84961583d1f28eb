// Package metrics holds the Prometheus metrics of a node. Label values are configured names and fixed
// words only, so that no client can add a series; the series of a deleted name are dropped.
//
// A Metrics is safe for concurrent use.
package metrics
