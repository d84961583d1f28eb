package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

// usage is what a process has used since it began.
type usage struct {
	cpu            time.Duration // user and system
	mallocs, bytes float64       // objects and bytes allocated on the heap
}

func (u usage) minus(o usage) usage {
	return usage{u.cpu - o.cpu, u.mallocs - o.mallocs, u.bytes - o.bytes}
}

// heap reads the allocation counters from a Prometheus page.
func heap(ctx context.Context, page string) (u usage, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, page, nil)
	if err != nil {
		return u, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return u, err
	}
	defer resp.Body.Close()
	counters := map[string]*float64{"go_memstats_mallocs_total": &u.mallocs, "go_memstats_alloc_bytes_total": &u.bytes}
	found := 0
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), " ")
		if into := counters[name]; into != nil {
			if *into, err = strconv.ParseFloat(value, 64); err != nil {
				return u, fmt.Errorf("%s: %w", name, err)
			}
			found++
		}
	}
	if err := lines.Err(); err != nil {
		return u, err
	}
	if found != len(counters) {
		return u, fmt.Errorf("%s (status %d) shows %d of the %d allocation counters", page, resp.StatusCode, found, len(counters))
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	return u, nil
}

// peakMemory returns the most memory that the process ever had resident, in bytes.
func peakMemory(pid int) (float64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	_, rest, found := strings.Cut(string(status), "VmHWM:")
	if !found {
		return 0, fmt.Errorf("process %d shows no VmHWM", pid)
	}
	var kib float64
	if _, err := fmt.Sscan(rest, &kib); err != nil {
		return 0, fmt.Errorf("VmHWM: %w", err)
	}
	return kib * 1024, nil
}
