package share

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/core/signal"
	"github.com/sluice-gateway/sluice/store"
)

func historian(t *testing.T) (sh *Sharer, log *bytes.Buffer) {
	t.Helper()
	log = new(bytes.Buffer)
	return New(Config{Node: "a", Cell: cell, Logger: slog.New(slog.NewTextHandler(log, nil))}, offline(t), signal.NewBoard()), log
}

func kept(oldest, newest int64) *store.Report {
	return &store.Report{History: store.History{Oldest: oldest, Newest: newest}}
}

func TestAHistoryThatNobodyCompactsIsToldOfOnce(t *testing.T) {
	sh, log := historian(t)
	now := time.Now()
	for i := range 5 {
		at := now.Add(time.Duration(i) * lookEvery)
		sh.judge(kept(1, int64(20_000*(i+1))), at)
		if got, want := sh.Stats().Uncompacted, i > 0; got != want {
			t.Errorf("after %v: uncompacted is %t, want %t", at.Sub(now), got, want)
		}
	}
	if got := log.String(); strings.Count(got, "level=WARN") != 1 || !strings.Contains(got, "--auto-compaction-mode=periodic --auto-compaction-retention=5m") {
		t.Errorf("log:\n%s", got)
	}
	sh.judge(kept(99_000, 110_000), now.Add(5*lookEvery))
	if sh.Stats().Uncompacted || strings.Count(log.String(), "\n") != 2 {
		t.Errorf("after a compaction: %t, log:\n%s", sh.Stats().Uncompacted, log)
	}
}

func TestAHistoryThatIsNoTroubleIsNotToldOf(t *testing.T) {
	for name, report := range map[string]func(i int64) *store.Report{
		"compacted":           func(i int64) *store.Report { return kept(20_000*i+1, 20_000*(i+1)) },
		"hardly written to":   func(i int64) *store.Report { return kept(1, 100*(i+1)) },
		"restored, and lower": func(i int64) *store.Report { return kept(1, 50_000-20_000*i) },
		"unknown":             func(int64) *store.Report { return &store.Report{} },
	} {
		sh, log := historian(t)
		now := time.Now()
		for i := range int64(3) {
			sh.judge(report(i), now.Add(time.Duration(i)*lookEvery))
		}
		if log.Len() > 0 {
			t.Errorf("%s: %s", name, log)
		}
	}
}

// A node that has just started has seen nothing itself.
func TestWhatEtcdSaysOfItsCompactionIsBelieved(t *testing.T) {
	member := func(known, done bool, ago time.Duration) store.EndpointReport {
		return store.EndpointReport{Compaction: store.Compaction{Known: known, Done: done, Ago: ago}}
	}
	for name, c := range map[string]struct {
		members []store.EndpointReport
		want    bool
	}{
		"never in a day":          {[]store.EndpointReport{member(true, false, 24*time.Hour)}, true},
		"an hour ago":             {[]store.EndpointReport{member(true, true, time.Hour), member(false, false, 0)}, true},
		"a minute ago":            {[]store.EndpointReport{member(true, true, time.Minute), member(true, false, time.Hour)}, false},
		"not yet, just started":   {[]store.EndpointReport{member(true, false, time.Minute)}, false},
		"its metrics are not had": {[]store.EndpointReport{member(false, false, 0)}, false},
	} {
		sh, _ := historian(t)
		r := kept(1, 1_000_000)
		r.Endpoints = c.members
		sh.judge(r, time.Now())
		if got := sh.Stats().Uncompacted; got != c.want {
			t.Errorf("%s: got %t, want %t", name, got, c.want)
		}
	}
}
