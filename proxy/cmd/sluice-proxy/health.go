package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"time"
)

// healthLimit is shorter than the timeouts that container runtimes give a health check.
const healthLimit = 2 * time.Second

// health asks the node's status listener whether it is ready and returns the exit code that says so.
func health(args []string) int {
	url := readyURL(env("SLUICE_STATUS_LISTEN", ":9090"))
	if len(args) > 0 {
		url = args[0]
	}
	// A proxy of the environment has no part in asking one's own address.
	resp, err := (&http.Client{Timeout: healthLimit, Transport: &http.Transport{}}).Get(url)
	if err != nil {
		fmt.Fprintln(os.Stderr, "sluice-proxy health:", err)
		return 1
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		fmt.Fprintln(os.Stderr, "sluice-proxy health:", url, "answered", resp.Status)
		return 1
	}
	return 0
}

func readyURL(listen string) string {
	host, port, err := net.SplitHostPort(listen)
	if err != nil || host == "" || host == "0.0.0.0" || host == "::" {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port) + "/readyz"
}
