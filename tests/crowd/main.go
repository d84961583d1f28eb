package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"runtime/pprof"
	"strings"
	"syscall"
	"time"

	"github.com/sluice-gateway/sluice/tests/etcd"
)

// members is how many etcd is made of.
const members = 3

// plan is one run.
type plan struct {
	nodes, targets int
	// rate is how many requests a second each node has answered by each target.
	rate float64
	// treeAbove is as of package share.
	treeAbove int
	// sharing is how many nodes have one connection to etcd together.
	sharing int
	// warmUp comes before the steady window, in which costs are counted.
	warmUp, steady time.Duration
	// trials is how many cooldowns are timed, watched how long the nodes are compared after the step.
	trials  int
	watched time.Duration
	// recovery is how long after the step the load goes on as before. An estimate that stands on the last few seconds
	// alone leaves them when their weight is gone, and no two nodes at the same moment.
	recovery time.Duration
	// ttl is how long a node's keys outlive it.
	ttl time.Duration
}

// flat is the largest fleet of which everyone should follow everyone; a value of 32 targets has 2.7 KB.
func flat() plan {
	return plan{nodes: 100, targets: 32, rate: 1, treeAbove: 200, sharing: 1, warmUp: 15 * time.Second, steady: 30 * time.Second, trials: 20, watched: 10 * time.Second, recovery: 15 * time.Second}
}

// tree is ten times that: what a node writes by then is bounded by the bytes of the cell, and the interval 5 s.
func tree() plan {
	return plan{nodes: 1000, targets: 32, rate: 0.1, treeAbove: 200, sharing: 10, warmUp: 30 * time.Second, steady: 30 * time.Second, trials: 20, watched: 25 * time.Second, recovery: 15 * time.Second}
}

func main() {
	log.SetFlags(log.Ltime)
	only := flag.Int("nodes", 0, "run one fleet of that many nodes; 0: one of 100 and one of 1,000")
	targets := flag.Int("targets", 0, "how many upstreams are measured; 0: 32")
	endpoints := flag.String("endpoints", "", "an empty etcd to use, endpoints separated by commas, instead of one in containers")
	profile := flag.String("profile", "", "write a CPU profile of all nodes to this file")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	where := onContainers
	if *endpoints != "" {
		where = func(ctx context.Context, p plan) (figures, error) { return run(ctx, p, strings.Split(*endpoints, ",")) }
	}
	if err := profiled(*profile, func() error { return runAll(ctx, plans(*only, *targets), where) }); err != nil {
		log.Fatal("crowd: ", err)
	}
}

// profiled runs f and writes a CPU profile of it, if there is a path.
func profiled(path string, f func() error) error {
	if path == "" {
		return f()
	}
	out, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := pprof.StartCPUProfile(out); err != nil {
		return err
	}
	err = f()
	pprof.StopCPUProfile()
	return errors.Join(err, out.Close())
}

func plans(nodes, targets int) []plan {
	all := []plan{flat(), tree()}
	if nodes > 0 {
		p := flat()
		if nodes > p.treeAbove {
			p = tree()
		}
		p.nodes = nodes
		all = []plan{p}
	}
	for i := range all {
		if targets > 0 {
			all[i].targets = targets
		}
	}
	return all
}

// runAll runs each plan and prints one table.
func runAll(ctx context.Context, plans []plan, where func(context.Context, plan) (figures, error)) error {
	var rows []figures
	for _, p := range plans {
		f, err := where(ctx, p)
		if err != nil {
			return err
		}
		rows = append(rows, f)
	}
	if !report(os.Stdout, rows) {
		return errors.New("not as it should be")
	}
	return nil
}

// onContainers runs a plan on an etcd of its own.
func onContainers(ctx context.Context, p plan) (figures, error) {
	cluster, err := etcd.Start(ctx, members)
	if err != nil {
		return figures{}, err
	}
	f, err := run(ctx, p, cluster.Endpoints())
	if err := errors.Join(err, cluster.Close(context.WithoutCancel(ctx))); err != nil {
		return figures{}, fmt.Errorf("%d nodes: %w", p.nodes, err)
	}
	return f, nil
}
