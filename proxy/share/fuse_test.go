package share

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/core/signal"
	"github.com/sluice-gateway/sluice/store"
	"github.com/sluice-gateway/sluice/store/embedded"
)

func TestTheFuseFollowsWhatIsInUse(t *testing.T) {
	const quota = 1000
	f := FuseClosed
	for i, c := range []struct {
		inUse   int64
		noSpace bool
		want    Fuse
	}{
		{500, false, FuseClosed}, {501, false, FuseSlow}, {470, false, FuseSlow}, {450, false, FuseSlow}, {449, false, FuseClosed},
		{470, false, FuseClosed}, {700, false, FuseSlow}, {701, false, FuseOpen}, {600, false, FuseOpen}, {400, false, FuseOpen}, {399, false, FuseClosed},
		{10, true, FuseOpen}, {10, false, FuseClosed}, {900, false, FuseOpen}, {450, false, FuseOpen}, {0, false, FuseClosed},
	} {
		f = f.after(store.Space{InUse: c.inUse, NoSpace: c.noSpace}, quota)
		if f != c.want {
			t.Fatalf("step %d, %d of %d, alarm %t: got %s, want %s", i, c.inUse, quota, c.noSpace, f, c.want)
		}
	}
	if got := FuseClosed.after(store.Space{InUse: 900, Quota: 2000}, quota); got != FuseClosed {
		t.Errorf("etcd's own quota is not the one that counts: got %s", got)
	}
}

func TestAnOpenFuseHoldsBackEveryWrite(t *testing.T) {
	sh := still(t, "a", offline(t))
	sh.fuse.now.Store(int32(FuseOpen))
	now := time.Now()
	sh.board.Cool(k, now.Add(time.Hour), now)
	for range 3 {
		sh.put(t.Context(), now)
	}
	if st := sh.Stats(); st.Withheld != 3 || st.PutFailures != 0 || st.Fuse != FuseOpen {
		t.Errorf("got %+v, want three writes held back and none tried", st)
	}
	sh.fuse.now.Store(int32(FuseClosed))
	sh.put(t.Context(), now)
	if st := sh.Stats(); st.PutFailures != 1 {
		t.Errorf("got %+v, want what was held back to be tried", st)
	}
}

func TestARefusedWriteOpensTheFuse(t *testing.T) {
	sh := still(t, "a", offline(t))
	sh.refused(store.ErrUnavailable)
	if got := sh.Stats().Fuse; got != FuseClosed {
		t.Errorf("etcd is away: fuse %s", got)
	}
	sh.refused(fmt.Errorf("put: %w", store.ErrNoSpace))
	if got := sh.Stats().Fuse; got != FuseOpen {
		t.Errorf("etcd has no space: fuse %s", got)
	}
	sh.check(t.Context()) // which gets no answer: the next write finds out
	if got := sh.Stats().Fuse; got != FuseSlow {
		t.Errorf("half a minute later: fuse %s", got)
	}
	sh.check(t.Context())
	if got := sh.Stats().Fuse; got != FuseSlow {
		t.Errorf("an etcd that tells nothing moved the fuse to %s", got)
	}
}

// A real etcd whose quota is almost used up by history.
func TestTheFuseTripsBeforeEtcdIsFull(t *testing.T) {
	const quota = 64 << 20
	etcd, err := embedded.Start(embedded.Config{Dir: t.TempDir(), UnsafeNoFsync: true, QuotaBytes: quota})
	if err != nil {
		t.Fatal(err)
	}
	defer etcd.Close()
	s, err := store.Open(store.Config{Endpoints: etcd.Endpoints()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var log bytes.Buffer
	sh := New(Config{Node: "a", Cell: cell, Logger: slog.New(slog.NewTextHandler(&log, nil))}, s, signal.NewBoard())
	member := joined(t, s)
	var states []Fuse
	value := make([]byte, 64<<10)
	for range 2 * quota / len(value) {
		sh.check(t.Context())
		if f := sh.fuse.state(); len(states) == 0 || states[len(states)-1] != f {
			states = append(states, f)
		}
		if sh.fuse.state().stops() {
			break
		}
		if _, err := member.PutSignals(t.Context(), value); err != nil {
			t.Fatalf("put: %v, with %+v", err, sh.Stats().Space)
		}
	}
	if got := fmt.Sprint(states); got != "[closed slow open]" {
		t.Errorf("the fuse went through %s as etcd filled up, %+v", got, sh.Stats().Space)
	}
	if space := sh.Stats().Space; space.Quota != quota || space.InUse > quota*9/10 {
		t.Errorf("open at %+v, want it soon after 70 %% of the quota", space)
	}
	if lines := strings.Count(log.String(), "\n"); lines != 2 {
		t.Errorf("%d lines for two changes:\n%s", lines, log.String())
	}
}

// joined returns a member with a lease.
func joined(t *testing.T, s *store.Store) *store.Member {
	t.Helper()
	granted := make(chan struct{}, 1)
	m := s.Join(store.MemberConfig{Node: "filler", Cell: cell, Granted: func() { granted <- struct{}{} }})
	run(t, m.Run)
	<-granted
	return m
}
