package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// stopGrace is how long a process gets to end by itself.
const stopGrace = 10 * time.Second

// process is a child of the benchmark. It ends at stop, and by itself once its standard input ends.
type process struct {
	cmd    *exec.Cmd
	stdin  io.Closer
	stdout io.Reader
	stderr bytes.Buffer
}

func start(cmd *exec.Cmd) (*process, error) {
	p := &process{cmd: cmd}
	cmd.Stderr = &p.stderr
	var err error
	if p.stdin, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if p.stdout, err = cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", cmd.Path, err)
	}
	return p, nil
}

// startAnnounced starts a process that prints the addresses of its listeners as one JSON line.
func startAnnounced(cmd *exec.Cmd) (*process, map[string]string, error) {
	p, err := start(cmd)
	if err != nil {
		return nil, nil, err
	}
	addresses := map[string]string{}
	if err := json.NewDecoder(p.stdout).Decode(&addresses); err != nil {
		p.stop()
		return nil, nil, fmt.Errorf("%s announced no address: %w: %s", cmd.Path, err, p.stderr.String())
	}
	return p, addresses, nil
}

// stop ends the process and waits until it has ended.
func (p *process) stop() {
	_ = p.stdin.Close()
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	kill := time.AfterFunc(stopGrace, func() { _ = p.cmd.Process.Kill() })
	defer kill.Stop()
	_ = p.cmd.Wait() // how it ended no longer matters
}

func (p *process) pid() int { return p.cmd.Process.Pid }

// roleVariable tells a copy of this binary which part to play; see role.
const roleVariable = "SLUICE_BENCH_ROLE"

// roleCommand returns a command that runs this binary again in another role.
func roleCommand(ctx context.Context, role string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0], args...)
	cmd.Env = append(os.Environ(), roleVariable+"="+role)
	return cmd
}
