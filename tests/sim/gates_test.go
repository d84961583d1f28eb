//go:build !race

// Each simulation is one goroutine. The race detector would find nothing in it and take ten times as long.

package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/tests/sim/policy"
	"github.com/sluice-gateway/sluice/tests/sim/report"
	"github.com/sluice-gateway/sluice/tests/sim/scenario"
)

// few is a plan of one seed and the usual fleet, over two minutes after what happens.
func few(t *testing.T, id string, policies ...string) *report.Results {
	t.Helper()
	p := &plan{policies: policies, nodes: []int{usual}, seeds: 1, every: time.Second}
	chosen, err := p.chosenPolicies()
	if err != nil {
		t.Fatal(err)
	}
	s, err := scenario.Find(id)
	if err != nil {
		t.Fatal(err)
	}
	if s.Load.Callers != 1 { // which is a few requests only
		s.Length = min(s.Length, max(s.Slow, s.Healed, s.Warm)+2*time.Minute)
	}
	if s.Split == nil {
		s.Split = []float64{0.5, 0.4, 0.1, 0} // what the search finds for limited capacity of which 75 % is used
	}
	return p.simulate(s, chosen)
}

// The default keeps to the gates, and they stop what they are for: sharing alone makes a herd, two random choices of
// few targets waste the best, and what a node learns alone it does not forget. Gates of policies that miss them
// are named by their metrics, the default's own too: they are where it is known to fall short.
func TestTheDefaultKeepsToItsGatesAndOthersDoNot(t *testing.T) {
	for _, c := range []struct {
		scenario string
		short    []string
		others   map[string]string
	}{
		{"S1", nil, map[string]string{"random": "mean/best", "finagle p2c": "best's share"}},
		{"S2", nil, map[string]string{"ewma-0.3 argmin": "returns s"}},
		{"S3-75", nil, map[string]string{"shared argmin": "OI"}},
		{"S5-50", nil, map[string]string{"random": "mean/best"}},
		{"S6", nil, nil},
		{"S7-seq", nil, map[string]string{"random": "best's share"}},
		{"S9-all", nil, nil},
	} {
		t.Run(c.scenario, func(t *testing.T) {
			t.Parallel()
			byDefault := policy.All()[0].Name
			policies := []string{byDefault}
			for name := range c.others {
				policies = append(policies, name)
			}
			results := few(t, c.scenario, policies...)
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
