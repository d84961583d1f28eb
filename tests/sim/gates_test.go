package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/tests/sim/policy"
	"github.com/sluice-gateway/sluice/tests/sim/report"
)

// few is a plan of one seed and one size of the fleet in which all the rest is as in a full run.
func few(t *testing.T, id string, nodes int, policies ...string) *report.Results {
	t.Helper()
	p := &plan{scenarios: []string{id}, policies: policies, nodes: []int{nodes}, seeds: 1, every: time.Second}
	scenarios, err := p.chosenScenarios()
	if err != nil {
		t.Fatal(err)
	}
	chosen, err := p.chosenPolicies()
	if err != nil {
		t.Fatal(err)
	}
	return p.simulate(scenarios[0], chosen)
}

// The default keeps to the gates, and they stop what they are for: sharing alone makes a herd, two random choices of
// few targets waste the best, and what a node learns alone it does not forget. Gates of policies that miss them
// are named by their metrics, the default's own too: they are where it is known to fall short.
func TestTheDefaultKeepsToItsGatesAndOthersDoNot(t *testing.T) {
	for _, c := range []struct {
		scenario string
		nodes    int
		short    []string
		others   map[string]string
	}{
		{"S1", 10, []string{"OI", "E p99"}, map[string]string{"random": "mean/best", "finagle p2c": "best's share"}},
		{"S2", 3, nil, map[string]string{"ewma-0.3 argmin": "returns s"}},
		{"S3-75", 3, []string{"mean/best"}, map[string]string{"shared argmin": "OI", "strict": "mean/best"}},
		{"S5-50", 3, nil, map[string]string{"random": "mean/best"}},
		{"S6", 3, nil, nil},
		{"S7-seq", 1, nil, map[string]string{"random": "best's share"}},
		{"S9-all", 3, []string{"mean/best"}, nil},
	} {
		t.Run(c.scenario, func(t *testing.T) {
			t.Parallel()
			byDefault := policy.All()[0].Name
			policies := []string{byDefault}
			for name := range c.others {
				policies = append(policies, name)
			}
			results := few(t, c.scenario, c.nodes, policies...)
			misses := results.Misses(byDefault)
			for _, miss := range misses {
				if !slices.ContainsFunc(c.short, func(gate string) bool { return strings.Contains(miss, gate) }) {
					t.Error(miss)
				}
			}
			for _, gate := range c.short {
				if !strings.Contains(strings.Join(misses, "\n"), gate) {
					t.Errorf("the default keeps to the gate of %s now: hold it to that", gate)
				}
			}
			for name, gate := range c.others {
				if misses := strings.Join(results.Misses(name), "\n"); !strings.Contains(misses, gate) {
					t.Errorf("%s passes the gate of %s; it misses only: %s", name, gate, misses)
				}
			}
		})
	}
}
