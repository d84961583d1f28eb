// Package policy is the ways to choose a target: the product's own, driven through package rank, and those that
// other gateways and balancers use, each as its source describes it.
//
// A Policy belongs to one simulation.
package policy
