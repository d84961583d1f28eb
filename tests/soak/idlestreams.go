package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/store"
	"github.com/sluice-gateway/sluice/store/embedded"
	"github.com/sluice-gateway/sluice/tests/soak/figures"
	"github.com/sluice-gateway/sluice/tests/soak/idle"
)

const (
	// idleLimit is what a node may hold for tenThousand idle streams.
	idleLimit   = 400 << 20
	tenThousand = 10_000
	// aborted is how many streams are broken off by their clients.
	aborted = 1000
	// spareFiles are what a node opens besides its streams; each stream takes two.
	spareFiles = 60
	// returnLimit bounds the wait for what ended streams held.
	returnLimit = 20 * time.Second
	// slack is how many goroutines may come and go for other reasons.
	slack = 8
	// memorySlack is what the heap may keep in pools of buffers, and what the runtime keeps of memory.
	memorySlack = 16 << 20
	// descriptor is what the runtime keeps for good of every goroutine there was at one time, to use it again: its g
	// of 440 bytes, and its place in the list of all.
	descriptor = 512
)

// idleStreams measures what a node holds while n streams are open and silent, and after.
func idleStreams(ctx context.Context, n int, profile string, out io.Writer) (err error) {
	n, err = raiseFiles(n, out)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "sluice-idle-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	upstream, err := idle.Listen()
	if err != nil {
		return err
	}
	defer upstream.Close()
	node, stop, err := idleNode(ctx, dir, upstream.URL())
	if err != nil {
		return err
	}
	defer stop()
	m := idleMeasure{node: node, upstream: upstream, out: out}
	return m.run(ctx, n, profile)
}

// raiseFiles raises the limit of open files, which child processes inherit, and returns how many of n
// streams fit under it.
func raiseFiles(n int, out io.Writer) (int, error) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0, fmt.Errorf("read the limit of open files: %w", err)
	}
	need := uint64(2*n + spareFiles)
	wanted := syscall.Rlimit{Cur: max(need, limit.Cur), Max: max(need, limit.Max)}
	if syscall.Setrlimit(syscall.RLIMIT_NOFILE, &wanted) == nil {
		return n, nil
	}
	wanted = syscall.Rlimit{Cur: limit.Max, Max: limit.Max}
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &wanted); err != nil {
		return 0, fmt.Errorf("raise the limit of open files: %w", err)
	}
	fit := min(n, int(limit.Max-spareFiles)/2)
	if fit < n {
		fmt.Fprintf(out, "the system allows %d open files a process: %d streams instead of %d\n", limit.Max, fit, n)
	}
	return fit, nil
}

// idleNode starts an etcd and a node in a process of its own that serves the model "idle".
func idleNode(ctx context.Context, dir, upstream string) (*process, func(), error) {
	binary, err := buildNode(ctx, dir)
	if err != nil {
		return nil, nil, err
	}
	etcd, err := embedded.Start(embedded.Config{Dir: filepath.Join(dir, "etcd"), UnsafeNoFsync: true})
	if err != nil {
		return nil, nil, err
	}
	st, err := store.Open(store.Config{Endpoints: etcd.Endpoints(), PlainSecrets: true})
	if err != nil {
		etcd.Close()
		return nil, nil, err
	}
	node, err := startProcess(binary, "idle", etcd.Endpoints()[0], dir)
	if err != nil {
		st.Close()
		etcd.Close()
		return nil, nil, err
	}
	stop := func() {
		_ = node.Stop() // how it ended no longer matters
		st.Close()
		etcd.Close()
	}
	revision, err := put(ctx, st, apiKey(),
		&core.Provider{ID: "idle", Kind: core.ProviderOpenAI, BaseURL: upstream, Auth: &core.Auth{Secret: "secret-of-no-value"}},
		&core.Model{ID: "idle", Provider: "idle", UpstreamModel: "idle", Timeouts: &core.Timeouts{Idle: span(0), Attempt: span(0)}})
	if err == nil {
		err = await(ctx, returnLimit, func() error { return serves(ctx, node.Status(), revision) })
	}
	if err != nil {
		stop()
		return nil, nil, err
	}
	return node, stop, nil
}

// idleMeasure is one measurement under way.
type idleMeasure struct {
	node     *process
	upstream *idle.Upstream
	out      io.Writer
}

func (m *idleMeasure) run(ctx context.Context, n int, profile string) error {
	if err := m.cycle(ctx, 1); err != nil { // what the first request sets up stays
		return err
	}
	before, err := m.node.Settle()
	if err != nil {
		return err
	}
	if err := m.cycle(ctx, aborted); err != nil {
		return err
	}
	few, err := m.back(ctx, before, before)
	if err != nil {
		return err
	}
	m.upstream.HangUp() // its ends of those streams take files
	clients, err := m.open(ctx, n)
	if err != nil {
		return err
	}
	defer clients.Leave()
	full, err := m.node.Figures()
	if err != nil {
		return err
	}
	settled, err := m.node.Settle()
	if err != nil {
		return err
	}
	if err := m.profile(profile, "open"); err != nil {
		return err
	}
	clients.Leave()
	left, err := m.back(ctx, before, full)
	if err != nil {
		return err
	}
	if err := m.profile(profile, "left"); err != nil {
		return err
	}
	return m.report(n, before, few, full, settled, left)
}

// profile writes the node's profiles into a folder of dir, if there is one.
func (m *idleMeasure) profile(dir, moment string) error {
	if dir == "" {
		return nil
	}
	dir = filepath.Join(dir, moment)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return m.node.Profile(dir)
}

func (m *idleMeasure) open(ctx context.Context, n int) (*idle.Clients, error) {
	return idle.Open(ctx, strings.TrimPrefix(m.node.API(), "http://"), callerKey, n)
}

// cycle opens n streams and breaks them off.
func (m *idleMeasure) cycle(ctx context.Context, n int) error {
	clients, err := m.open(ctx, n)
	if err != nil {
		return err
	}
	clients.Leave()
	return nil
}

// back waits until the node holds what it held before, and returns the figures even if it does not. At most it held full.
func (m *idleMeasure) back(ctx context.Context, before, full figures.Figures) (f figures.Figures, err error) {
	_ = await(ctx, returnLimit, func() error { // the figures tell
		f, err = m.node.Settle()
		if err == nil {
			err = returned(before, full, f)
		}
		return err
	})
	return f, nil
}

// returned says what of the figures has not come back to what they were before they were full.
func returned(before, full, after figures.Figures) error {
	before.Heap += uint64(full.Goroutines) * descriptor
	switch {
	case after.Goroutines > before.Goroutines+slack:
		return fmt.Errorf("%d goroutines, %d before", after.Goroutines, before.Goroutines)
	case after.Heap > before.Heap+memorySlack:
		return fmt.Errorf("%s of heap, %s before", mib(after.Heap), mib(before.Heap))
	case after.Resident > before.Resident+3*memorySlack:
		return fmt.Errorf("%s resident, %s before", mib(after.Resident), mib(before.Resident))
	}
	return nil
}

func mib(bytes uint64) string { return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20)) }

func (m *idleMeasure) report(n int, before, few, full, settled, left figures.Figures) error {
	fmt.Fprintf(m.out, "%-44s %10s %10s %10s %10s\n", "node, in a process of its own", "goroutines", "heap", "stacks", "resident")
	for _, row := range []struct {
		what string
		f    figures.Figures
	}{
		{"at the start, after one stream", before},
		{fmt.Sprintf("after %d were broken off", aborted), few},
		{fmt.Sprintf("%d idle streams", n), full},
		{"the same, garbage collected", settled},
		{"after they were broken off", left},
	} {
		fmt.Fprintf(m.out, "%-44s %10d %10s %10s %10s\n", row.what, row.f.Goroutines, mib(row.f.Heap), mib(row.f.Stacks), mib(row.f.Resident))
	}
	each := float64(full.Resident-before.Resident) / float64(n)
	total := before.Resident + uint64(each*tenThousand)
	fmt.Fprintf(m.out, "\na stream: %.1f KiB resident, %.1f goroutines; %d of them: %s (limit %s)\n", each/1024,
		float64(full.Goroutines-before.Goroutines)/float64(n), tenThousand, mib(total), mib(idleLimit))
	if total > idleLimit {
		return fmt.Errorf("%d idle streams hold %s, more than %s", tenThousand, mib(total), mib(idleLimit))
	}
	if err := returned(before, before, few); err != nil {
		return fmt.Errorf("after %d streams that were broken off: %w", aborted, err)
	}
	if err := returned(before, full, left); err != nil {
		return fmt.Errorf("after %d streams that were broken off: %w", n, err)
	}
	return nil
}
