package doctor

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/store"
)

const gib = 1 << 30

func TestEtcdIsJudgedByItsFullestMember(t *testing.T) {
	member := func(used int64) store.EndpointReport {
		return store.EndpointReport{Endpoint: fmt.Sprint("http://e", used), Space: store.Space{InUse: used, Quota: 100}}
	}
	alarmed := store.EndpointReport{Endpoint: "http://full", Space: store.Space{InUse: 10, Quota: 100, NoSpace: true}}
	for _, c := range []struct {
		members []store.EndpointReport
		want    State
		names   string
	}{
		{nil, OK, "no member tells"},
		{[]store.EndpointReport{{Endpoint: "http://old", Space: store.Space{InUse: gib}}}, OK, "no member tells"},
		{[]store.EndpointReport{member(10), member(49)}, OK, "http://e49"},
		{[]store.EndpointReport{member(60), member(10)}, Warn, "http://e60"},
		{[]store.EndpointReport{member(10), member(71)}, Fail, "http://e71"},
		{[]store.EndpointReport{member(10), alarmed}, Fail, "http://full"},
	} {
		if got := space(store.Report{Endpoints: c.members}); got.State != c.want || !strings.Contains(got.Found, c.names) || (got.Do == "") != (got.State == OK) {
			t.Errorf("%+v: got %+v, want %s of %s", c.members, got, c.want, c.names)
		}
	}
}

func TestAnEtcdThatDoesNotCompactIsFound(t *testing.T) {
	told := func(ago time.Duration, done bool) store.EndpointReport {
		return store.EndpointReport{Compaction: store.Compaction{Known: true, Done: done, Ago: ago}}
	}
	history := func(n int64) store.History { return store.History{Oldest: 1, Newest: n} }
	for name, c := range map[string]struct {
		report store.Report
		want   State
	}{
		"compacts":              {store.Report{Endpoints: []store.EndpointReport{told(5*time.Minute, true)}, History: history(9_000_000)}, OK},
		"has just started":      {store.Report{Endpoints: []store.EndpointReport{told(time.Minute, false)}}, OK},
		"never compacted":       {store.Report{Endpoints: []store.EndpointReport{told(time.Hour, false)}}, Warn},
		"one member does not":   {store.Report{Endpoints: []store.EndpointReport{told(time.Minute, true), told(time.Hour, true)}}, Warn},
		"silent, little kept":   {store.Report{Endpoints: []store.EndpointReport{{}}, History: history(1000)}, OK},
		"silent, a lot is kept": {store.Report{Endpoints: []store.EndpointReport{{}}, History: history(1_000_000)}, Warn},
	} {
		if got := compaction(c.report); got.State != c.want {
			t.Errorf("%s: got %+v, want %s", name, got, c.want)
		}
	}
}

func TestTheMajorityIsToldFromTheMembers(t *testing.T) {
	for name, c := range map[string]struct {
		got  Check
		want State
		says string
	}{
		"refused":        {majority(store.Report{}, fmt.Errorf("ping: %w", store.ErrUnauthenticated)), Fail, "credentials"},
		"away":           {majority(store.Report{}, errors.New("no leader")), Fail, "no leader"},
		"slow":           {majority(store.Report{RoundTrip: time.Second}, nil), Warn, "1s"},
		"well":           {majority(store.Report{RoundTrip: time.Millisecond, Members: 3}, nil), OK, "members: 3"},
		"one is away":    {member(store.EndpointReport{Error: errors.New("refused")}), Warn, "refused"},
		"one learns":     {member(store.EndpointReport{Learner: true}), Warn, "learner"},
		"one is alarmed": {member(store.EndpointReport{Alarms: []string{"alarm:CORRUPT"}}), Fail, "CORRUPT"},
	} {
		if c.got.State != c.want || !strings.Contains(c.got.Found, c.says) {
			t.Errorf("%s: got %+v, want %s with %q", name, c.got, c.want, c.says)
		}
	}
}
