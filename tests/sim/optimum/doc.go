// Package optimum finds the fixed split of the traffic that would have been best for a scenario: what a policy that
// learns is measured against.
//
// Under a fixed split every target sees its own share of the arrivals and none of what the others do. So the cost of
// each target at each share is simulated once, and the best sum of shares is found exactly on a grid.
package optimum
