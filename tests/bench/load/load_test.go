package load_test

import (
	"context"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/tests/bench/load"
	"github.com/sluice-gateway/sluice/tests/bench/mock"
)

func upstream(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = mock.New(mock.Config{AnswerBytes: 900}).Serve(l) }()
	t.Cleanup(func() { _ = l.Close() })
	return l.Addr().String()
}

func request(body string, events int) load.Request {
	return load.Request{Wire: fmt.Appendf(nil, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", len(body), body), Events: events}
}

func TestEveryRequestOfAPlanIsSentAndTimed(t *testing.T) {
	stream := request(`{"stream":true,"max_tokens":4}`, 4+mock.Extra)
	plans := map[string]load.Plan{
		"closed":        {Request: request(`{}`, 0), Count: 101, Connections: 7},
		"open":          {Request: request(`{}`, 0), Count: 50, Connections: 3, Rate: 5000},
		"closed stream": {Request: stream, Count: 20, Connections: 4},
		"open stream":   {Request: stream, Count: 20, Connections: 4, Rate: 5000},
	}
	address := upstream(t)
	for name, p := range plans {
		t.Run(name, func(t *testing.T) {
			p.Address = address
			r, err := load.Run(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Total) != p.Count || len(r.First) != p.Count || r.Events != p.Count*p.Request.Events {
				t.Errorf("got %d totals, %d firsts, %d events; want %d requests of %d events", len(r.Total), len(r.First), r.Events, p.Count, p.Request.Events)
			}
			if r.First[0] <= 0 || r.First[0] > r.Total[len(r.Total)-1] {
				t.Errorf("got a first event at %v, want it within the slowest answer's %v", r.First[0], r.Total[len(r.Total)-1])
			}
		})
	}
}

func TestAnUnexpectedAnswerEndsTheRound(t *testing.T) {
	p := load.Plan{Address: upstream(t), Request: request(`{"stream":true,"max_tokens":4}`, 5), Count: 1000, Connections: 2}
	_, err := load.Run(t.Context(), p)
	if err == nil || !strings.Contains(err.Error(), "got 7 events, want 5") {
		t.Errorf("got %v, want the count of events in an error", err)
	}
}

func TestACancelledRoundEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := load.Run(ctx, load.Plan{Address: upstream(t), Request: request(`{}`, 0), Count: 10, Connections: 1}); err == nil {
		t.Error("got no error, want the cancellation")
	}
}

func TestPercentilesAreTakenFromTheSortedTimes(t *testing.T) {
	times := []time.Duration{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	for p, want := range map[float64]time.Duration{0: 1, 50: 6, 99: 10, 100: 10} {
		if got := load.Percentile(times, p); got != want {
			t.Errorf("percentile %v of %v: got %d, want %d", p, times, got, want)
		}
	}
}
