package doctor

import (
	"slices"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/admin/fleet"
	"github.com/sluice-gateway/sluice/core"
)

var now = time.Now()

// healthy is a fleet of one node that is well.
func healthy() fleet.Report {
	return fleet.Report{
		Revision: 7,
		Nodes:    []fleet.Node{{NodeStatus: core.NodeStatus{ID: "a", Cell: "eu", Version: "v1", Revision: 7, StartedAt: now.Add(-time.Hour)}}},
		Cells:    []fleet.Cell{{Name: "eu", Members: []fleet.Member{{Node: "a"}}, Targets: []fleet.Target{{Models: []string{"m"}}}}},
	}
}

func TestEachTroubleIsFoundByOneCheck(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*fleet.Report)
		want   []string
	}{
		"none":                    {func(*fleet.Report) {}, nil},
		"no nodes":                {func(r *fleet.Report) { r.Nodes = nil }, []string{"fail nodes"}},
		"a node lags":             {func(r *fleet.Report) { r.Nodes[0].Lagging = true }, []string{"fail revision"}},
		"a node that drains lags": {func(r *fleet.Report) { r.Nodes[0].Lagging, r.Nodes[0].Draining = true, true }, nil},
		"a resource is rejected":  {func(r *fleet.Report) { r.Nodes[0].Rejected = []core.Fault{{Rule: "enum"}} }, []string{"fail resources"}},
		"a secret is not there":   {func(r *fleet.Report) { r.Nodes[0].Rejected = []core.Fault{{Rule: "environment"}} }, []string{"fail secrets"}},
		"two versions": {func(r *fleet.Report) {
			r.Nodes = append(r.Nodes, fleet.Node{NodeStatus: core.NodeStatus{ID: "b", Cell: "eu", Version: "v2", StartedAt: now}})
		}, []string{"warn versions"}},
		"signals not understood":  {func(r *fleet.Report) { r.Cells[0].Members[0].Error = "version 9" }, []string{"warn signals"}},
		"no signals":              {func(r *fleet.Report) { r.Cells[0].Members = nil }, []string{"warn signals"}},
		"no signals yet":          {func(r *fleet.Report) { r.Cells[0].Members = nil; r.Nodes[0].StartedAt = now }, nil},
		"signals in another cell": {func(r *fleet.Report) { r.Cells[0].Name = "us" }, []string{"warn signals"}},
		"a target cools":          {func(r *fleet.Report) { r.Cells[0].Targets[0].CoolingForSeconds = 3 }, []string{"warn targets"}},
		"a target fails":          {func(r *fleet.Report) { r.Cells[0].Targets[0].Failing = true }, []string{"warn targets"}},
	} {
		r := healthy()
		c.change(&r)
		var got []string
		for _, check := range nodes(r, now) {
			if check.State != OK {
				got = append(got, string(check.State)+" "+check.Name)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}
