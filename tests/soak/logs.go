package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
)

// logged sums up what the nodes have logged.
type logged struct {
	lines, errors int
	// faults shows lines that must not be: errors, and whatever tells a secret or a prompt.
	faults []string
}

// secrets are what no log may tell: the credentials on both sides and what clients ask.
var secrets = []string{callerKey, "credential-of-", "prompt prompt"}

// mostShown bounds the faults that are shown.
const mostShown = 5

// logs reads the logs of all nodes.
func (f *fleet) logs() (logged, error) {
	var l logged
	for _, n := range f.nodes {
		if err := l.read(n.Log()); err != nil {
			return l, fmt.Errorf("read the log of a node: %w", err)
		}
	}
	return l, nil
}

func (l *logged) read(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewReader(file)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return nil // the last line may be half written
		}
		l.line(line)
	}
}

func (l *logged) line(line []byte) {
	l.lines++
	if bytes.Contains(line, []byte(`"level":"ERROR"`)) || bytes.Contains(line, []byte("panic:")) || bytes.Contains(line, []byte("DATA RACE")) {
		l.errors++
		l.fault(line)
		return
	}
	for _, secret := range secrets {
		if bytes.Contains(line, []byte(secret)) {
			l.errors++
			l.fault(line)
			return
		}
	}
}

func (l *logged) fault(line []byte) {
	if len(l.faults) < mostShown {
		l.faults = append(l.faults, string(bytes.TrimSpace(line)))
	}
}
