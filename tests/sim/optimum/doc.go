// Package optimum finds the fixed split of the traffic that would have been best for a scenario: what a policy that
// learns is measured against.
package optimum
