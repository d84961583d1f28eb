package doctor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sluice-gateway/sluice/store"
)

const (
	// compacts is how often etcd should compact: nodes write their signals every second, and each write stays in the
	// history until then.
	compacts = 30 * time.Minute
	// longHistory is some hours of a small fleet's writes; who keeps so many revisions does not compact.
	longHistory = 500_000
	// slowRead is many times what a majority of healthy members takes.
	slowRead = 250 * time.Millisecond
	// fuller and full are the shares of the quota at which nodes write signals less often, and no longer.
	fuller, full = .5, .7

	compactionFlags = "start etcd with --auto-compaction-mode=periodic --auto-compaction-retention=5m"
)

// etcd examines the store, nil is not asked, and reports whether it can be read.
func etcd(ctx context.Context, s *store.Store) (checks []Check, reached bool) {
	if s == nil {
		return []Check{skip("etcd", "not asked: say with --etcd where it is")}, false
	}
	r, err := s.Diagnose(ctx)
	for _, e := range r.Endpoints {
		checks = append(checks, member(e))
	}
	checks = append(checks, majority(r, err))
	if err != nil {
		return checks, false
	}
	return append(checks, space(r), compaction(r), atRest(ctx, s)), true
}

// atRest examines how secrets are stored.
func atRest(ctx context.Context, s *store.Store) Check {
	const name = "secrets at rest"
	secrets, err := s.Secrets(ctx)
	if err != nil {
		return warn(name, "see the check of etcd", "not read: %v", err)
	}
	var plain []string
	for _, secret := range secrets {
		if !secret.Sealed {
			plain = append(plain, secret.Ref.String()+secret.Pointer)
		}
	}
	if len(plain) > 0 {
		return warn(name, "give every process a keyset and run 'sluice keys encrypt', or use ${env:NAME}", "in plain text: %s", some(plain))
	}
	return ok(name, "all %d are sealed", len(secrets))
}

func majority(r store.Report, err error) Check {
	const name = "etcd"
	switch {
	case errors.Is(err, store.ErrUnauthenticated):
		return fail(name, "set --etcd-username and SLUICE_ETCD_PASSWORD to a user that may read the prefix", "%v", err)
	case err != nil:
		return fail(name, "bring back a majority of the members; proxies serve on meanwhile, writes do not work", "no read of a majority: %v", err)
	case r.RoundTrip > slowRead:
		return warn(name, "see the disks of the members and the network between them", "a read of a majority took %v", r.RoundTrip.Round(time.Millisecond))
	}
	return ok(name, "members: %d; a read of a majority took %v", r.Members, r.RoundTrip.Round(time.Microsecond))
}

func member(e store.EndpointReport) Check {
	name := "etcd " + e.Endpoint
	switch {
	case e.Error != nil:
		return warn(name, "bring the member back, or take its address out of --etcd", "%v", e.Error)
	case e.Learner:
		return warn(name, "promote the member: as a learner it has no vote", "version %s, a learner", e.Version)
	case len(e.Alarms) > 0:
		return fail(name, "see etcdctl alarm list; after NOSPACE: compact, defrag, then etcdctl alarm disarm", "%s", some(e.Alarms))
	}
	return ok(name, "version %s, answered in %v", e.Version, e.Answer.Round(time.Microsecond))
}

// space reports on the fullest member.
func space(r store.Report) Check {
	const name, relief = "etcd space", "compact and defrag, or raise --quota-backend-bytes"
	var used float64
	found := "no member tells its quota"
	for _, e := range r.Endpoints {
		s := e.Space
		if s.NoSpace {
			return fail(name, relief+", then etcdctl alarm disarm", "%s is out of space: etcd refuses every write", e.Endpoint)
		}
		if s.Quota <= 0 {
			continue
		}
		if share := float64(s.InUse) / float64(s.Quota); share >= used {
			used = share
			found = fmt.Sprintf("%s uses %s of %s (%.0f%%)", e.Endpoint, mebibytes(s.InUse), mebibytes(s.Quota), 100*share)
		}
	}
	switch {
	case used > full:
		return fail(name, relief, "%s: nodes have stopped writing signals", found)
	case used > fuller:
		return warn(name, relief, "%s: nodes write signals less often", found)
	}
	return ok(name, "%s", found)
}

func mebibytes(n int64) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }

func compaction(r store.Report) Check {
	const name = "etcd compaction"
	var oldest time.Duration
	known := false
	for _, e := range r.Endpoints {
		if e.Compaction.Known {
			known, oldest = true, max(oldest, e.Compaction.Ago)
		}
	}
	length := r.History.Length()
	switch {
	case known && oldest > compacts:
		return warn(name, compactionFlags, "none for %v; %d revisions are kept", oldest.Round(time.Minute), length)
	case !known && length > longHistory:
		return warn(name, compactionFlags, "%d revisions are kept, and no member tells when it compacts", length)
	case !known:
		return ok(name, "%d revisions are kept; no member tells when it compacts", length)
	}
	return ok(name, "within %v; %d revisions are kept", oldest.Round(time.Second), length)
}
