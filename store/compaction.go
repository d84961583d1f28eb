package store

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Compaction is what a member says of its last one. etcd has no call for it: this is read from the /metrics that it
// serves beside its API, and unknown where those are elsewhere or closed.
type Compaction struct {
	// Known: the member has told.
	Known bool
	// Done: the member has compacted its history since it was started.
	Done bool
	// Ago is the time since then, or since the start of a member that has not, by the member's own clock.
	Ago time.Duration
}

const (
	// metricsLimit is several times what an etcd with many clients says.
	metricsLimit = 4 << 20

	metricCompacted = "etcd_debugging_mvcc_db_compaction_last"
	metricStarted   = "process_start_time_seconds"
)

// compaction asks one member; what cannot be found out is unknown.
func (s *Store) compaction(ctx context.Context, endpoint string) Compaction {
	c, err := s.readCompaction(ctx, endpoint)
	if err != nil {
		s.log.Debug("etcd does not tell of its compaction", "endpoint", endpoint, "error", err)
	}
	return c
}

func (s *Store) readCompaction(ctx context.Context, endpoint string) (Compaction, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.metricsURL(endpoint), http.NoBody)
	if err != nil {
		return Compaction{}, err
	}
	transport := &http.Transport{TLSClientConfig: s.tls.Clone()}
	defer transport.CloseIdleConnections()
	response, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		return Compaction{}, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return Compaction{}, fmt.Errorf("read metrics: status %d", response.StatusCode)
	}
	now, err := http.ParseTime(response.Header.Get("Date"))
	if err != nil {
		return Compaction{}, fmt.Errorf("read metrics: %w", err)
	}
	return parseCompaction(io.LimitReader(response.Body, metricsLimit), now)
}

func (s *Store) metricsURL(endpoint string) string {
	switch {
	case strings.Contains(endpoint, "://"):
	case s.tls != nil:
		endpoint = "https://" + endpoint
	default:
		endpoint = "http://" + endpoint
	}
	return strings.TrimRight(endpoint, "/") + "/metrics"
}

// parseCompaction reads two gauges of Prometheus' text format, times in seconds since 1970.
func parseCompaction(text io.Reader, now time.Time) (Compaction, error) {
	at := map[string]float64{}
	lines := bufio.NewScanner(text)
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), " ")
		if name != metricCompacted && name != metricStarted {
			continue
		}
		v, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return Compaction{}, fmt.Errorf("read metrics: %s: %w", name, err)
		}
		at[name] = v
	}
	if err := lines.Err(); err != nil {
		return Compaction{}, fmt.Errorf("read metrics: %w", err)
	}
	compacted, known := at[metricCompacted]
	started := at[metricStarted]
	if !known || started == 0 {
		return Compaction{}, nil
	}
	c := Compaction{Known: true, Done: compacted > 0}
	since := started
	if c.Done {
		since = compacted
	}
	c.Ago = max(now.Sub(time.Unix(int64(since), 0)), 0)
	return c, nil
}
