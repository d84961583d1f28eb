package main

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// inFlight sums what the node of that status URL says is under way: requests, and attempts on targets.
func inFlight(ctx context.Context, status string) (float64, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, status+"/metrics", nil)
	if err != nil {
		return 0, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	sum, found := 0.0, 0
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), " ")
		name, _, _ = strings.Cut(name, "{")
		if name != "sluice_requests_in_flight" && name != "sluice_target_in_flight" {
			continue
		}
		v, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", name, err)
		}
		sum, found = sum+v, found+1
	}
	if found < 2 {
		return 0, fmt.Errorf("%s/metrics shows no gauges in flight", status)
	}
	return sum, nil
}
