package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/sluice-gateway/sluice/tests/sim/optimum"
	"github.com/sluice-gateway/sluice/tests/sim/policy"
	"github.com/sluice-gateway/sluice/tests/sim/report"
	"github.com/sluice-gateway/sluice/tests/sim/scenario"
)

// plan is what one call of the command simulates.
type plan struct {
	scenarios, policies []string
	nodes               []int
	seeds               int
	every               time.Duration
	out                 string

	splits map[string][]float64
}

// run simulates, writes the tables to w and returns how many gates were missed.
func (p *plan) run(w io.Writer) (missed int, err error) {
	scenarios, err := p.chosenScenarios()
	if err != nil {
		return 0, err
	}
	policies, err := p.chosenPolicies()
	if err != nil {
		return 0, err
	}
	if p.out != "" {
		if err := os.MkdirAll(p.out, 0o755); err != nil {
			return 0, fmt.Errorf("make the folder for plots: %w", err)
		}
	}
	for _, s := range scenarios {
		results := p.simulate(s, policies)
		report.Table(w, results)
		missed += report.Gates(w, results)
		if p.out == "" || !s.Closely {
			continue
		}
		if err := report.Plots(p.out, results); err != nil {
			return missed, err
		}
	}
	return missed, nil
}

func (p *plan) chosenScenarios() ([]*scenario.Scenario, error) {
	if p.scenarios == nil {
		return scenario.All(), nil
	}
	return collect(p.scenarios, scenario.Find)
}

func (p *plan) chosenPolicies() ([]policy.Named, error) {
	if p.policies == nil {
		return policy.All(), nil
	}
	return collect(p.policies, policy.Find)
}

func collect[T any](names []string, find func(string) (T, error)) ([]T, error) {
	var out []T
	for _, name := range names {
		v, err := find(name)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

// simulate runs one scenario under all policies, fleet sizes and seeds.
func (p *plan) simulate(s *scenario.Scenario, policies []policy.Named) *report.Results {
	sizes := p.nodes
	if sizes == nil {
		sizes = s.Sizes()
	}
	r := &report.Results{Scenario: s, Sizes: sizes, Split: p.split(s)}
	r.Best = report.NewRow(policy.Fixed(optimum.Name, r.Split), usual, p.seeds)
	jobs := p.jobs(nil, s, r.Best)
	for _, size := range sizes {
		for _, named := range policies {
			if !s.Own || (named.Ours && named.Shared) {
				jobs = p.jobs(jobs, s, r.Add(named, size, p.seeds))
			}
		}
	}
	for _, named := range p.ablations(s) {
		jobs = p.jobs(jobs, s, r.Add(named, usual, p.seeds))
	}
	parallel(jobs)
	return r
}

// split returns the best fixed split of the scenario, from memory if another one has the same callers and upstreams.
func (p *plan) split(s *scenario.Scenario) []float64 {
	key := fmt.Sprint(s.Load, s.Upstreams, s.Targets, s.Warm, s.Length, s.Split)
	if p.splits == nil {
		p.splits = map[string][]float64{}
	}
	if p.splits[key] == nil {
		p.splits[key] = optimum.Split(s, optimumSeed)
	}
	return p.splits[key]
}

// usual is the size of the fleet that a scenario is for whose question is another one.
const usual = 10

// ablations are those that the scenario is for, unless policies are named.
func (p *plan) ablations(s *scenario.Scenario) []policy.Named {
	if s.Closely && p.policies == nil {
		return policy.Ablations()
	}
	return nil
}

// jobs appends the simulations that fill the row.
func (p *plan) jobs(jobs []func(), s *scenario.Scenario, row *report.Row) []func() {
	for seed := range p.seeds {
		cell := scenario.Cell{Scenario: s, Policy: row.Policy, Nodes: row.Nodes, Every: p.every, Seed: uint64(seed + 1)}
		jobs = append(jobs, func() { row.Seeds[seed] = cell.Run().Summary(s.Marks()) })
	}
	return jobs
}

// optimumSeed is none of the seeds that are judged.
const optimumSeed = 1 << 20
