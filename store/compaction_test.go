package store

import (
	"strings"
	"testing"
	"time"
)

func TestWhatMetricsSayOfTheLastCompaction(t *testing.T) {
	now := time.Unix(2_000_000_000, 0)
	for _, c := range []struct {
		name, text string
		want       Compaction
		bad        bool
	}{
		{"compacted", "# HELP etcd_debugging_mvcc_db_compaction_last The unix time\netcd_debugging_mvcc_db_compaction_last 1.99999994e+09\nprocess_start_time_seconds 1.9e+09\n", Compaction{true, true, time.Minute}, false},
		{"never compacted", "etcd_debugging_mvcc_db_compaction_last 0\nprocess_start_time_seconds 1.9999964e+09\n", Compaction{true, false, time.Hour}, false},
		{"a member whose clock is ahead", "etcd_debugging_mvcc_db_compaction_last 2.1e+09\nprocess_start_time_seconds 1.9e+09\n", Compaction{true, true, 0}, false},
		{"another server", "go_goroutines 7\nprocess_start_time_seconds 1.9e+09\n", Compaction{}, false},
		{"nothing", "", Compaction{}, false},
		{"no number", "etcd_debugging_mvcc_db_compaction_last soon\n", Compaction{}, true},
	} {
		got, err := parseCompaction(strings.NewReader(c.text), now)
		if got != c.want || (err != nil) != c.bad {
			t.Errorf("%s: got %+v, error %v, want %+v", c.name, got, err, c.want)
		}
	}
}

func TestMetricsAreWhereTheEndpointIs(t *testing.T) {
	plain, err := Open(Config{Endpoints: []string{"x"}})
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	for endpoint, want := range map[string]string{
		"10.0.0.1:2379": "http://10.0.0.1:2379/metrics", "https://etcd:2379/": "https://etcd:2379/metrics", "http://[::1]:2379": "http://[::1]:2379/metrics",
	} {
		if got := plain.metricsURL(endpoint); got != want {
			t.Errorf("%s: got %s, want %s", endpoint, got, want)
		}
	}
}
