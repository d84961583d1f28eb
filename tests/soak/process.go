package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/sluice-gateway/sluice/tests/soak/figures"
)

const nodePackage = "github.com/sluice-gateway/sluice/tests/soak/node"

// stopGrace is how long a process gets to end by itself.
const stopGrace = 15 * time.Second

// buildNode builds the node's command into dir and returns its path.
func buildNode(ctx context.Context, dir string) (string, error) {
	path := filepath.Join(dir, "node")
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", path, nodePackage).CombinedOutput(); err != nil {
		return "", fmt.Errorf("build node: %w\n%s", err, out)
	}
	return path, nil
}

// process is a node in a process of its own. Its methods take turns.
type process struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *json.Decoder
	log    *os.File
	api    string
	status string
}

// startProcess starts the node and returns once it has said where it listens. What it logs goes into dir.
func startProcess(binary, name, etcd, dir string) (*process, error) {
	p := &process{cmd: exec.Command(binary, "-name", name, "-etcd", etcd)}
	var err error
	if p.log, err = os.Create(filepath.Join(dir, name+".log")); err != nil {
		return nil, err
	}
	p.cmd.Stderr = p.log
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = json.NewDecoder(out)
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", binary, err)
	}
	var addresses struct{ API, Status string }
	if err := p.out.Decode(&addresses); err != nil {
		_ = p.Stop() // what counts is why it said nothing, which its log tells
		return nil, fmt.Errorf("%s announced no address, see %s: %w", name, p.log.Name(), err)
	}
	p.api, p.status = addresses.API, addresses.Status
	return p, nil
}

func (p *process) API() string    { return p.api }
func (p *process) Status() string { return p.status }
func (p *process) Log() string    { return p.log.Name() }

// Figures asks the node how much it holds.
func (p *process) Figures() (figures.Figures, error) { return p.ask("figures") }

// Settle makes the node collect its garbage before it says how much it holds.
func (p *process) Settle() (figures.Figures, error) { return p.ask("settle") }

// Profile makes the node write its profiles into dir.
func (p *process) Profile(dir string) error {
	_, err := p.ask("profile " + dir)
	return err
}

func (p *process) ask(command string) (f figures.Figures, err error) {
	if _, err := fmt.Fprintln(p.in, command); err != nil {
		return f, fmt.Errorf("ask node: %w", err)
	}
	if err := p.out.Decode(&f); err != nil {
		return f, fmt.Errorf("ask node: %w", err)
	}
	return f, nil
}

// Stop ends the node in order and waits until it has ended.
func (p *process) Stop() error {
	_ = p.in.Close()
	ask := time.AfterFunc(stopGrace/2, func() { _ = p.cmd.Process.Signal(syscall.SIGTERM) })
	kill := time.AfterFunc(stopGrace, func() { _ = p.cmd.Process.Kill() })
	defer ask.Stop()
	defer kill.Stop()
	p.log.Close()
	return p.cmd.Wait()
}
