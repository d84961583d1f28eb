package main

import (
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/proxy"
)

func TestFlagsWinOverTheEnvironmentAndThatOverDefaults(t *testing.T) {
	s, err := parse(nil, io.Discard)
	if err != nil || s.listen != ":8080" || s.statusListen != ":9090" || s.cell != proxy.DefaultCell || !slices.Equal(s.etcd, []string{"http://127.0.0.1:2379"}) || s.prefix != "/sluice" || s.drain != proxy.DefaultDrain || s.maxBody != proxy.DefaultMaxBody || s.treeAbove != 200 || s.etcdQuota != 2<<30 {
		t.Errorf("defaults: %+v, %v", s, err)
	}
	for name, value := range map[string]string{
		"SLUICE_PROXY_LISTEN": ":1", "SLUICE_ETCD_ENDPOINTS": "a:1, b:2,", "SLUICE_DRAIN": "7s", "SLUICE_MAX_BODY": "5", "SLUICE_CELL": "eu", "SLUICE_ETCD_USERNAME": "env", "SLUICE_ETCD_PASSWORD": "p",
	} {
		t.Setenv(name, value)
	}
	s, err = parse([]string{"--cell", "us", "--max-event=9", "--tree-above=50", "--etcd-username=flag", "--upstream-allow", "api.openai.com"}, io.Discard)
	if err != nil || s.listen != ":1" || !slices.Equal(s.etcd, []string{"a:1", "b:2"}) || s.drain != 7*time.Second || s.maxBody != 5 || s.cell != "us" || s.maxEvent != 9 || s.treeAbove != 50 || s.password != "p" || s.username != "flag" {
		t.Errorf("got %+v, %v", s, err)
	}
	if s.reach.Host("evil.example") == nil {
		t.Error("the list of upstreams is not used")
	}
}

func TestBadSettingsAreAllNamed(t *testing.T) {
	t.Setenv("SLUICE_DRAIN", "soon")
	t.Setenv("SLUICE_LOG_LEVEL", "loud")
	t.Setenv("SLUICE_MAX_ANSWER", "big")
	_, err := parse([]string{"--max-body=0", "--etcd=", "--failed-status=200", "--tree-above=0", "--decisions=-1", "--advertise=x", "--etcd-quota=-1", "--upstream-allow", "http://x", "stray"}, io.Discard)
	for _, want := range []string{"SLUICE_DRAIN", "SLUICE_LOG_LEVEL", "SLUICE_MAX_ANSWER", "max-body", "no etcd endpoints", "upstream-allow", "failed-status", "tree-above", "decisions", "advertise", "etcd-quota", "stray"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want a word on %s", err, want)
		}
	}
}

func TestTheHealthCheckAsksThisMachine(t *testing.T) {
	for listen, want := range map[string]string{
		":9090": "http://127.0.0.1:9090/readyz", "0.0.0.0:1": "http://127.0.0.1:1/readyz", "[::]:1": "http://127.0.0.1:1/readyz", "10.0.0.1:2": "http://10.0.0.1:2/readyz",
	} {
		if got := readyURL(listen); got != want {
			t.Errorf("%s: got %s, want %s", listen, got, want)
		}
	}
}
