package main

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/proxy/share"
	"github.com/sluice-gateway/sluice/store/embedded"
)

// A small crowd on an embedded etcd: the harness itself is tested, and no time of it judged.
func TestASmallCrowdIsMeasured(t *testing.T) {
	etcd, err := embedded.Start(embedded.Config{Dir: t.TempDir(), UnsafeNoFsync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer etcd.Close()
	p := plan{
		nodes: 6, targets: 3, rate: 20, treeAbove: 4, sharing: 2, warmUp: time.Second, steady: 2 * time.Second,
		trials: 2, watched: 2 * time.Second,
	}
	got, err := run(t.Context(), p, etcd.Endpoints())
	if err != nil {
		t.Fatal(err)
	}
	if got.mode != share.Tree || got.cost.puts == 0 || got.cost.roots == 0 || got.cost.values == 0 || got.cost.rejects > 0 {
		t.Errorf("%s, %+v", got.mode, got.cost)
	}
	if len(got.lag) != p.trials*(p.nodes-1) || got.lag[0] <= 0 {
		t.Errorf("lags %v", got.lag)
	}
	if got.quietApart > quietApart {
		t.Errorf("quiet, and %.3f apart", got.quietApart)
	}
}

// ideal are figures that are just what the formulas say.
func ideal(mode share.Mode) figures {
	f := figures{plan: flat(), mode: mode, interval: time.Second, window: 10 * time.Second}
	f.cost = cost{puts: 1000, putBytes: 1000 * 2700, values: 100_000, valueBytes: 100_000 * 2700}
	if mode == share.Tree {
		f.plan.nodes = 1000
		f.cost = cost{puts: 10_000, putBytes: 10_000 * 400, roots: 10, rootBytes: 10 * 500, values: 20_000, valueBytes: 10_000*400 + 10_000*500}
	}
	return f
}

func TestTheReportJudges(t *testing.T) {
	for _, mode := range []share.Mode{share.Flat, share.Tree} {
		if !report(io.Discard, []figures{ideal(mode)}) {
			var out strings.Builder
			report(&out, []figures{ideal(mode)})
			t.Errorf("%s: just by the formulas:\n%s", mode, out.String())
		}
		for name, spoil := range map[string]func(*figures){
			"writes":    func(f *figures) { f.cost.puts = f.cost.puts * 8 / 10 },
			"delivered": func(f *figures) { f.cost.values = f.cost.values * 12 / 10 },
			"bytes":     func(f *figures) { f.cost.valueBytes /= 2 },
			"failed":    func(f *figures) { f.cost.putFailures = 1 },
			"rejected":  func(f *figures) { f.cost.rejects = 1 },
			"degraded":  func(f *figures) { f.degraded = 1 },
			"step":      func(f *figures) { f.stepReached = time.Minute },
			"D":         func(f *figures) { f.stepApart = time.Minute },
			"E":         func(f *figures) { f.stepOff = time.Minute },
			"quiet":     func(f *figures) { f.quietApart = 0.5 },
			"late":      func(f *figures) { f.quiet = time.Minute },
		} {
			bad := ideal(mode)
			spoil(&bad)
			if report(io.Discard, []figures{ideal(mode), bad}) {
				t.Errorf("%s, %s: not found", mode, name)
			}
		}
	}
}
