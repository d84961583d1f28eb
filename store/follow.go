package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"golang.org/x/sync/errgroup"
)

// sink receives one span of keys, exactly. The follower calls it from one goroutine; nil functions are
// not called, load and apply are never nil.
type sink struct {
	// load replaces everything. fresh is false when it continues the history of what was loaded before.
	load func(l listing, fresh bool)
	// apply changes what the transaction of that revision changed.
	apply func(revision int64, events []*mvccpb.Event)
	// progress says that nothing else changed up to that revision.
	progress func(revision int64)
	// health gets nil when the sink is up to date and followed, and what ended that.
	health func(error)
	// resync says why everything is about to be read again.
	resync func(reason string)
	// verify returns a check of a listing (without values) against the sink as it is now.
	verify func() func(listing) error
}

// timings are the follower's rhythms. Tests shorten them.
type timings struct {
	create, ask, silent, audit  time.Duration
	keys                        time.Duration
	retry, retryMax, refusedMax time.Duration
}

func defaultTimings() timings {
	return timings{
		create:     5 * time.Second,  // a member that has not opened a watch by then is ill: try another
		ask:        4 * time.Second,  // each question is a few bytes; its answer also moves the resume point
		silent:     10 * time.Second, // two questions without an answer: found and replaced within 15 s
		audit:      5 * time.Minute,  // keys only: 1 MB for 10,000 resources
		keys:       time.Second,      // the keyset is one small file
		retry:      50 * time.Millisecond,
		retryMax:   2 * time.Second,  // etcd comes back within seconds from an election or a restart
		refusedMax: 30 * time.Second, // credentials change by hand; each try costs etcd a password hash
	}
}

// follower keeps a sink equal to a span of keys.
type follower struct {
	store *Store
	span  span
	sink  sink

	loaded  bool
	cluster uint64
	// seen: every change up to this revision is in the sink. Only listings and what the watch itself
	// delivered move it.
	seen int64
	// reload is why everything must be read again; nil when the watch can go on from seen.
	reload error
}

var errDiverged = errors.New("history diverged")

// follow blocks until ctx ends and returns its error.
func (s *Store) follow(ctx context.Context, r span, k sink) error {
	f := &follower{store: s, span: r, sink: k}
	wait := delay{first: s.timings.retry}
	for {
		err := f.session(ctx, &wait)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		wait.limit = s.timings.retryMax
		if isReload(err) {
			f.mustReload(err)
		} else {
			f.health(err)
		}
		if errors.Is(err, ErrUnauthenticated) {
			wait.limit = s.timings.refusedMax
		}
		if err := pause(ctx, wait.next()); err != nil {
			return err
		}
	}
}

// session is one watch, from opening it to its end, whose cause it returns, classed.
func (f *follower) session(ctx context.Context, wait *delay) error {
	if !f.loaded || f.reload != nil {
		if err := f.load(ctx); err != nil {
			return err
		}
	}
	st, err := f.store.open(ctx, f.span, f.seen)
	if err != nil {
		return watchError(ctx, err)
	}
	defer st.cancel(nil)
	if err := f.agree(ctx, st.opened); err != nil {
		return err
	}
	wait.step = 0
	f.health(nil)
	return watchError(ctx, f.consume(ctx, st))
}

// watchError classes what ended a watch, unless that is a reason to read everything again.
func watchError(ctx context.Context, err error) error {
	if isReload(err) {
		return err
	}
	return readError(ctx, err)
}

// isReload says that the watch cannot go on from what was seen.
func isReload(err error) bool { return errors.Is(err, errCompacted) || errors.Is(err, errDiverged) }

func (f *follower) health(err error) {
	if f.sink.health != nil {
		f.sink.health(err)
	}
}

// mustReload has the next session read everything again. A reason that is not dealt with yet stands.
func (f *follower) mustReload(reason error) {
	if f.reload == nil {
		f.reload = reason
		if f.sink.resync != nil {
			f.sink.resync(reason.Error())
		}
	}
}

func (f *follower) load(ctx context.Context) error {
	l, err := f.store.list(ctx, f.span)
	if err != nil {
		return err
	}
	fresh := !f.loaded || l.cluster != f.cluster || l.revision < f.seen || errors.Is(f.reload, errDiverged)
	f.loaded, f.reload, f.cluster, f.seen = true, nil, l.cluster, l.revision
	f.sink.load(l, fresh)
	return nil
}

// agree returns errDiverged when the etcd behind a new watch is not a continuation of what was seen. A
// member that merely lags is: a linearizable read tells it from a restored backup.
func (f *follower) agree(ctx context.Context, opened *pb.ResponseHeader) error {
	cluster, revision := opened.ClusterId, opened.Revision
	if cluster == f.cluster && revision < f.seen {
		head, err := f.store.get(ctx, f.span.start)
		if err != nil {
			return err
		}
		cluster, revision = head.Header.ClusterId, head.Header.Revision
	}
	switch {
	case cluster != f.cluster:
		return fmt.Errorf("%w: cluster %x became %x", errDiverged, f.cluster, cluster)
	case revision < f.seen:
		return fmt.Errorf("%w: revision %d went back to %d", errDiverged, f.seen, revision)
	}
	return nil
}

// consume delivers what the watch brings until it ends.
func (f *follower) consume(ctx context.Context, st *stream) error {
	g, ctx := errgroup.WithContext(ctx)
	answers := make(chan *pb.WatchResponse)
	g.Go(func() error {
		for {
			answer, err := st.next()
			if err != nil {
				return err
			}
			select {
			case answers <- answer:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	})
	g.Go(func() error {
		defer st.cancel(nil)
		return f.handle(ctx, g, st, answers)
	})
	return g.Wait()
}

func (f *follower) handle(ctx context.Context, g *errgroup.Group, st *stream, answers <-chan *pb.WatchResponse) error {
	t := f.store.timings
	ask := time.NewTicker(t.ask)
	defer ask.Stop()
	silent := time.NewTimer(t.silent)
	defer silent.Stop()
	audit := time.NewTimer(jitter(t.audit))
	defer audit.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-silent.C:
			return errSilent
		case <-ask.C:
			if err := st.ask(); err != nil {
				return err
			}
		case <-audit.C:
			f.startAudit(ctx, g)
			audit.Reset(jitter(t.audit))
		case answer := <-answers:
			if err := f.take(answer); err != nil {
				return err
			}
			silent.Reset(t.silent)
		}
	}
}

// take delivers one answer, transaction by transaction. An answer without events is a report of progress.
func (f *follower) take(answer *pb.WatchResponse) error {
	if answer.Header.ClusterId != f.cluster {
		return fmt.Errorf("%w: cluster %x became %x", errDiverged, f.cluster, answer.Header.ClusterId)
	}
	if len(answer.Events) == 0 && answer.Header.Revision > f.seen {
		f.seen = answer.Header.Revision
		if f.sink.progress != nil {
			f.sink.progress(f.seen)
		}
	}
	for events := answer.Events; len(events) > 0; {
		revision, n := events[0].Kv.ModRevision, 1
		for n < len(events) && events[n].Kv.ModRevision == revision {
			n++
		}
		if revision > f.seen {
			f.seen = revision
			f.sink.apply(revision, events[:n])
		}
		events = events[n:]
	}
	return nil
}
