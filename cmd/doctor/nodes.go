package doctor

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/sluice-gateway/sluice/admin/fleet"
	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/store"
)

// ruleEnvironment is that of a secret which a node cannot resolve.
const ruleEnvironment = "environment"

func nodes(r fleet.Report, now time.Time) []Check {
	if len(r.Nodes) == 0 {
		return []Check{fail("nodes", "start a proxy with the same etcd and prefix as the admin service", "no proxy node is live")}
	}
	return []Check{
		ok("nodes", "live: %d, in cells: %d", len(r.Nodes), len(r.Cells)),
		revision(r),
		faults(r, "resources", "correct the resource, or bring the node to the version of the others", func(f core.Fault) bool { return f.Rule != ruleEnvironment && f.Rule != store.RuleKeyset }),
		faults(r, "secrets", "set the variable in the node's environment and restart the node", func(f core.Fault) bool { return f.Rule == ruleEnvironment }),
		faults(r, "keyset", "give the node the keyset file that the secret was sealed with; it reads it again by itself", func(f core.Fault) bool { return f.Rule == store.RuleKeyset }),
		versions(r),
		signals(r, now),
		targets(r),
	}
}

func revision(r fleet.Report) Check {
	var behind []string
	for _, n := range r.Nodes {
		if n.Lagging && !n.Draining {
			behind = append(behind, fmt.Sprintf("%s is at %d", n.ID, n.Revision))
		}
	}
	if len(behind) > 0 {
		return fail("revision", "see in the node's log and /status whether it reaches etcd", "the last change is %d, but %s", r.Revision, some(behind))
	}
	return ok("revision", "every node serves %d", r.Revision)
}

// faults reports what nodes do not serve as stored, for the reasons that are meant.
func faults(r fleet.Report, name, do string, meant func(core.Fault) bool) Check {
	var found []string
	for _, n := range r.Nodes {
		for _, f := range n.Rejected {
			if meant(f) {
				found = append(found, fmt.Sprintf("%s on %s: %s", f.Ref, n.ID, f.Message))
			}
		}
	}
	if len(found) > 0 {
		return fail(name, do, "%s", some(found))
	}
	return ok(name, "every node serves all as stored")
}

func versions(r fleet.Report) Check {
	seen := map[string]bool{}
	for _, n := range r.Nodes {
		seen[n.Version] = true
	}
	all := slices.Sorted(maps.Keys(seen))
	if len(all) > 1 {
		return warn("versions", "finish the update: nodes of different versions may not understand each other's signals", "%s", strings.Join(all, ", "))
	}
	return ok("versions", "all nodes are of %s", all[0])
}

// settling is how long a node may take from its start to its first value.
const settling = 10 * time.Second

func signals(r fleet.Report, now time.Time) Check {
	has := map[string]bool{}
	var found []string
	for _, c := range r.Cells {
		for _, m := range c.Members {
			has[c.Name+"/"+m.Node] = true
			if m.Error != "" {
				found = append(found, fmt.Sprintf("%s: %s", m.Node, m.Error))
			}
		}
	}
	for _, n := range r.Nodes {
		if !has[n.Cell+"/"+n.ID] && !n.Draining && now.Sub(n.StartedAt) > settling {
			found = append(found, n.ID+" has published nothing")
		}
	}
	if len(found) > 0 {
		return warn("signals", "such a node ranks targets by what it measures alone, and the others miss what it does: bring all to one version and see its metric sluice_signal_put_failures_total", "%s", some(found))
	}
	return ok("signals", "every node shares what it measures")
}

func targets(r fleet.Report) Check {
	var found []string
	tried := 0
	for _, c := range r.Cells {
		for _, t := range c.Targets {
			name := fmt.Sprintf("%s in cell %s", t.Models[0], c.Name)
			switch {
			case t.CoolingForSeconds > 0:
				found = append(found, fmt.Sprintf("%s cools for %.0f s", name, t.CoolingForSeconds))
			case t.Failing:
				found = append(found, name+" fails")
			}
			if len(t.Contributors) > 0 {
				tried++
			}
		}
	}
	if len(found) > 0 {
		return warn("targets", "see sluice fleet, and the upstream's own status page", "%s", some(found))
	}
	return ok("targets", "none is set aside; %d were tried lately", tried)
}
