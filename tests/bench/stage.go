package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const (
	module    = "github.com/sluice-gateway/sluice/"
	callerKey = "bench-caller-key"
)

// stage holds the processes of one run.
type stage struct {
	contenders []contender
	processes  []*process
	dir        string
}

// newStage builds the binaries and starts every process.
func newStage(ctx context.Context) (s *stage, err error) {
	s = &stage{}
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	if s.dir, err = os.MkdirTemp("", "sluice-bench-"); err != nil {
		return s, err
	}
	if err := build(ctx, s.dir, module+"tests/bench/plain", module+"proxy/cmd/sluice-proxy"); err != nil {
		return s, err
	}
	upstream, err := s.announced(roleCommand(ctx, "mock"))
	if err != nil {
		return s, err
	}
	if err := s.plain(ctx, upstream["api"]); err != nil {
		return s, err
	}
	c, err := s.control(ctx, filepath.Join(s.dir, "etcd"))
	if err != nil {
		return s, err
	}
	if err := c.configure(ctx, upstream["api"]); err != nil {
		return s, err
	}
	return s, s.node(ctx, c.etcd)
}

// build puts the named commands into dir.
func build(ctx context.Context, dir string, packages ...string) error {
	out, err := exec.CommandContext(ctx, "go", append([]string{"build", "-o", dir + "/"}, packages...)...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("build: %w\n%s", err, out)
	}
	return nil
}

func (s *stage) announced(cmd *exec.Cmd) (map[string]string, error) {
	p, addresses, err := startAnnounced(cmd)
	if err != nil {
		return nil, err
	}
	s.processes = append(s.processes, p)
	return addresses, nil
}

func (s *stage) plain(ctx context.Context, upstream string) error {
	addresses, err := s.announced(exec.CommandContext(ctx, filepath.Join(s.dir, "plain"), "-upstream", upstream))
	if err != nil {
		return err
	}
	s.contenders = append(s.contenders, contender{
		name:    "plain proxy",
		address: strings.TrimPrefix(addresses["api"], "http://"),
		metrics: addresses["status"] + "/metrics",
		pid:     s.processes[len(s.processes)-1].pid(),
	})
	return nil
}

func (s *stage) peakMemory() (summary, error) {
	var peaks [2]float64
	for i, c := range s.contenders {
		bytes, err := peakMemory(c.pid)
		if err != nil {
			return summary{}, fmt.Errorf("%s: %w", c.name, err)
		}
		peaks[i] = bytes / (1 << 20)
	}
	return summary{peaks[0], peaks[1], peaks[1] / peaks[0]}, nil
}

// close ends every process, last started first.
func (s *stage) close() {
	for i := len(s.processes) - 1; i >= 0; i-- {
		s.processes[i].stop()
	}
	_ = os.RemoveAll(s.dir)
}
