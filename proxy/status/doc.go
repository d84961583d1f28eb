// Package status is the listener for operators and their tools: liveness, readiness, the node's own
// account of itself, and metrics. It shows no secret and takes no request that changes anything.
package status
