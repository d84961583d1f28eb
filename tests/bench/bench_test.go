package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestMain lets this binary play the roles that the benchmark starts it again for.
func TestMain(m *testing.M) {
	if name := os.Getenv(roleVariable); name != "" {
		if err := role(name, os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func TestASmallRunPrintsEveryRow(t *testing.T) {
	var out strings.Builder
	if err := run(t.Context(), smokeSize, regexp.MustCompile(""), &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"ratio", "CPU ms / 1,000 requests", "allocations / request", "p99 ms", "CPU µs / stream event", "CPU of a translated chat", "CPU of a translated stream", "peak memory MiB"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("got no %q in\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "NaN") || strings.Contains(out.String(), "Inf") {
		t.Errorf("got a figure that is none in\n%s", out.String())
	}
}

func TestARequestHasItsStatedLength(t *testing.T) {
	for _, events := range []int{0, shortStream, longStream} {
		wire := string(request("key", passedModel, events))
		_, body, _ := strings.Cut(wire, "\r\n\r\n")
		if len(body) != requestBytes || !strings.Contains(wire, fmt.Sprintf("Content-Length: %d\r\n", requestBytes)) {
			t.Errorf("got a body of %d bytes, want %d in %q", len(body), requestBytes, wire)
		}
	}
}

func TestFiguresKeepThreeDigits(t *testing.T) {
	for v, want := range map[float64]string{13478.4: "13478", 162.04: "162", 81.42: "81.4", 0.4412: "0.441"} {
		if got := number(v); got != want {
			t.Errorf("number(%v): got %q, want %q", v, got, want)
		}
	}
}
