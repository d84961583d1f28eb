package main

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/sluice-gateway/sluice/tests/soak/ledger"
)

const (
	// mostUnseen bounds the share of hits by which attempts may outnumber them: those over connections that the
	// upstream had closed, of which it knows nothing.
	mostUnseen = 0.01
	// mostSlow bounds the share of requests at which a limit of time passed on an upstream without a fault: the
	// machine was too slow for the run to mean anything.
	mostSlow = 0.02
	// mostReplayed bounds the share of hits that were no attempts of their own.
	mostReplayed = 0.10
	// letGo is when an upstream must know that the client has left, for half of them if there are enough to tell.
	letGo  = 500 * time.Millisecond
	enough = 5
)

// verdict is what was wrong with the run; nil: nothing.
func (s *soak) verdict() error {
	t := s.ledger.Totals()
	var errs []error
	wrong := func(is bool, format string, args ...any) {
		if is {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	wrong(t.Broken() > 0, "%d violations", t.Broken())
	wrong(s.unquiet != nil, "after the run: %w", s.unquiet)
	wrong(s.logged.errors > 0, "%d lines of the logs are errors or tell secrets", s.logged.errors)
	wrong(t.Results[ledger.ResultWhole] == 0, "no request was answered")
	for _, m := range models() {
		wrong(t.Targets[m] == 0, "nothing was asked of %s", m)
	}
	wrong(share(t.Unseen, t.Hits) > mostUnseen, "%d attempts reached no upstream, %d did", t.Unseen, t.Hits)
	wrong(share(t.Slow, t.Requests) > mostSlow, "%d of %d requests met a limit of time without a fault", t.Slow, t.Requests)
	wrong(share(t.Replays, t.Hits) > mostReplayed, "%d of %d upstream requests were no attempts", t.Replays, t.Hits)
	if n := len(t.Released); n >= enough {
		slices.Sort(t.Released)
		wrong(t.Released[n/2] > letGo, "half of the upstreams learned later than %v that the client had left", t.Released[n/2])
	}
	return errors.Join(errs...)
}

func share(n, of int) float64 { return float64(n) / float64(max(of, 1)) }
