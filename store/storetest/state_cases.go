package storetest

import (
	"testing"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"

	"github.com/sluice-gateway/sluice/store"
)

func stateCases() []testCase {
	return []testCase{
		{"etcd tells how full it is and whether it is too full", stateSpace},
		{"the history begins where it was compacted", stateHistory},
		{"a diagnosis finds every member", stateDiagnosis},
		{"a diagnosis names the endpoint that is away", stateEndpointAway},
		{"a diagnosis of an etcd that is away is an error", stateAway},
	}
}

// space must be told.
func space(t testing.TB, s *store.Store) store.Space {
	t.Helper()
	got, err := s.Space(t.Context())
	if err != nil {
		t.Fatalf("space: %v", err)
	}
	return got
}

func stateSpace(t *testing.T, e *env) {
	s := e.open(t)
	if got := space(t, s); got.InUse <= 0 || got.Allocated < got.InUse || got.Quota < got.Allocated || got.NoSpace {
		t.Errorf("got %+v, want something in use, more allocated, and a greater quota", got)
	}
	alarm(t, e, pb.AlarmRequest_ACTIVATE)
	defer alarm(t, e, pb.AlarmRequest_DEACTIVATE)
	awaitAlarm(t, s, true)
	alarm(t, e, pb.AlarmRequest_DEACTIVATE)
	awaitAlarm(t, s, false)
}

// awaitAlarm asks until the alarm is told, or not: the member that answers may apply it later than the one that took it.
func awaitAlarm(t testing.TB, s *store.Store, want bool) {
	t.Helper()
	for end := time.Now().Add(patience); ; {
		got := space(t, s)
		if got.NoSpace == want {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("after %v: got %+v, want NoSpace %v", patience, got, want)
		}
	}
}

// history must be told.
func history(t testing.TB, s *store.Store) store.History {
	t.Helper()
	got, err := s.History(t.Context())
	if err != nil {
		t.Fatalf("history: %v", err)
	}
	return got
}

func stateHistory(t *testing.T, e *env) {
	s := e.open(t)
	e.compact(t)
	compacted := history(t, s)
	if n := compacted.Length(); n < 1 || n > others {
		t.Errorf("after a compaction: got %+v, want one revision", compacted)
	}
	for range 37 {
		e.put(t, "/elsewhere", "x")
	}
	got := history(t, s)
	if n := got.Length() - compacted.Length(); got.Oldest != compacted.Oldest || n < 37 || n > 37+others {
		t.Errorf("after 37 writes: got %+v, of %d revisions more, want 37 from %d", got, n, compacted.Oldest)
	}
}

// others is how many revisions the leases that earlier cases have left may make by their end.
const others = 10

func stateDiagnosis(t *testing.T, e *env) {
	e.compact(t)
	got, err := e.open(t).Diagnose(t.Context())
	if err != nil {
		t.Fatalf("diagnose: %v", err)
	}
	if got.Members != len(e.cluster.Endpoints) || got.Leader == 0 || got.RoundTrip <= 0 || got.History.Length() < 1 {
		t.Errorf("got %+v, want %d members and a leader", got, len(e.cluster.Endpoints))
	}
	seen := map[uint64]bool{}
	for i, m := range got.Endpoints {
		seen[m.Member] = true
		if m.Endpoint != e.cluster.Endpoints[i] || m.Error != nil || m.Version == "" || m.Answer <= 0 || m.Space.InUse <= 0 || len(m.Alarms) > 0 {
			t.Errorf("endpoint %d: got %+v", i, m)
		}
		if c := m.Compaction; !c.Known || !c.Done || c.Ago > patience {
			t.Errorf("endpoint %d, just compacted: got %+v", i, c)
		}
	}
	if len(seen) != got.Members || !seen[got.Leader] {
		t.Errorf("members %v, want %d of them, the leader %d too", seen, got.Members, got.Leader)
	}
}

func stateEndpointAway(t *testing.T, e *env) {
	s := e.open(t, func(cfg *store.Config) {
		cfg.Endpoints = append([]string{"http://127.0.0.1:1"}, cfg.Endpoints...)
	})
	got, err := s.Diagnose(t.Context())
	if err != nil {
		t.Fatalf("diagnose: %v", err)
	}
	if away := got.Endpoints[0]; away.Error == nil || away.Version != "" {
		t.Errorf("the endpoint that is away: got %+v", away)
	}
	if here := got.Endpoints[1]; here.Error != nil || here.Version == "" {
		t.Errorf("the endpoint that is there: got %+v", here)
	}
}

func stateAway(t *testing.T, e *env) {
	relay := NewRelay(t, e.cluster.Endpoints)
	relay.Cut()
	s := e.open(t, through(relay), func(cfg *store.Config) { cfg.CallTimeout = shortTTL / 2 })
	got, err := s.Diagnose(t.Context())
	if err == nil || len(got.Endpoints) != 1 || got.Endpoints[0].Error == nil {
		t.Errorf("got %+v, error %v", got, err)
	}
}
