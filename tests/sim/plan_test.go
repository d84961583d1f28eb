package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"
)

func TestAPlanPrintsItsTableAndGates(t *testing.T) {
	p := plan{scenarios: []string{"S7-seq"}, policies: []string{"adaptive", "random"}, nodes: []int{1, 2}, seeds: 2, every: time.Second}
	var b bytes.Buffer
	if _, err := p.run(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"S7-seq", "best fixed split", "adaptive", "random", "mean/best ≤", "max/min over N"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in the output:\n%s", want, b.String())
		}
	}
}

func TestAPlanDrawsWhatIsLookedAtClosely(t *testing.T) {
	p := plan{scenarios: []string{"S2"}, policies: []string{"random"}, nodes: []int{10}, seeds: 1, every: time.Second, out: t.TempDir()}
	if _, err := p.run(&bytes.Buffer{}); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(p.out)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range files {
		names = append(names, f.Name())
	}
	if want := "S2-latencies.svg S2-shares-best-fixed-split.svg S2-shares-random.svg"; strings.Join(names, " ") != want {
		t.Errorf("drew %v, want %s", names, want)
	}
}

func TestWhatNobodyKnowsIsRefused(t *testing.T) {
	for _, p := range []plan{{scenarios: []string{"S99"}}, {policies: []string{"best"}, scenarios: []string{"S1"}}} {
		if _, err := p.run(&bytes.Buffer{}); err == nil {
			t.Errorf("%+v ran", p)
		}
	}
}
