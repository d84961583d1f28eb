package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"time"

	"github.com/sluice-gateway/sluice/tests/bench/mock"
)

// Shape of the traffic: a request of 2 KiB, an answer of about 1 KiB, an event each 2 ms.
const (
	requestBytes = 2 << 10
	answerBytes  = 1 << 10
	eventGap     = 2 * time.Millisecond
)

// role plays one part of the benchmark in a process of its own.
func role(name string, args []string) error {
	switch {
	case name == "mock":
		return mockRole()
	case name == "control" && len(args) == 1:
		return controlRole(args[0])
	}
	return fmt.Errorf("no role is called %q with %d arguments", name, len(args))
}

func mockRole() error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	if err := announce(map[string]string{"api": "http://" + l.Addr().String()}); err != nil {
		return err
	}
	go func() {
		untilStdinEnds()
		_ = l.Close()
	}()
	return mock.New(mock.Config{AnswerBytes: answerBytes, Gap: eventGap}).Serve(l)
}

// announce tells the parent where this process listens.
func announce(addresses map[string]string) error { return json.NewEncoder(os.Stdout).Encode(addresses) }

// untilStdinEnds returns when the parent has gone or wants this process to end.
func untilStdinEnds() { _, _ = io.Copy(io.Discard, os.Stdin) }
