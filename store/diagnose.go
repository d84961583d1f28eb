package store

import (
	"cmp"
	"context"
	"sync"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
)

// Report is the state of etcd as far as it can be found out now.
type Report struct {
	// Endpoints are those that the store was opened with, in that order.
	Endpoints []EndpointReport
	// Leader is the id of the member that leads; zero: no endpoint knows one.
	Leader uint64
	// Members is how many members the cluster has; zero: unknown.
	Members int
	// RoundTrip is the time of one linearizable read, which takes a majority; zero: there was no answer.
	RoundTrip time.Duration
	// History is what the cluster keeps; zero: unknown.
	History History
}

// EndpointReport is the state of one member.
type EndpointReport struct {
	Endpoint string
	// Error says why there is no answer; the fields below are then zero.
	Error error
	// Version is that of the server.
	Version string
	// Member is its id; Learner: it has no vote yet.
	Member  uint64
	Learner bool
	// Answer is the time that connecting and answering took.
	Answer time.Duration
	Space  Space
	// Alarms and other faults, in etcd's words.
	Alarms []string
	// Compaction is what the member's /metrics say.
	Compaction Compaction

	leader uint64
}

// Diagnose asks every endpoint and the cluster as a whole. What could not be found out stays zero; the error is
// that of the linearizable read, without which the gateway cannot work.
func (s *Store) Diagnose(ctx context.Context) (Report, error) {
	r := Report{Endpoints: make([]EndpointReport, len(s.endpoints))}
	var wg sync.WaitGroup
	for i, endpoint := range s.endpoints {
		wg.Go(func() { r.Endpoints[i] = s.examine(ctx, endpoint) })
	}
	wg.Go(func() { r.Members = s.members(ctx) })
	wg.Wait()
	for _, e := range r.Endpoints {
		r.Leader = cmp.Or(r.Leader, e.leader)
	}
	began := time.Now()
	if err := s.Ping(ctx); err != nil {
		return r, err
	}
	r.RoundTrip = time.Since(began)
	if h, err := s.History(ctx); err == nil {
		r.History = h
	}
	return r, nil
}

func (s *Store) examine(ctx context.Context, endpoint string) EndpointReport {
	ctx, cancel := context.WithTimeout(ctx, s.callTimeout)
	defer cancel()
	e := EndpointReport{Endpoint: endpoint}
	client, err := s.calls.get(ctx)
	if err != nil {
		e.Error = readError(ctx, err)
		return e
	}
	began := time.Now()
	answer, err := client.Status(ctx, endpoint)
	if err != nil {
		e.Error = readError(ctx, err)
		return e
	}
	e.Answer = time.Since(began)
	e.Version, e.Member, e.Learner, e.leader = answer.Version, answer.Header.MemberId, answer.IsLearner, answer.Leader
	e.Space, e.Alarms = spaceOf((*pb.StatusResponse)(answer)), answer.Errors
	e.Compaction = s.compaction(ctx, endpoint)
	return e
}

// members returns how many the cluster has; zero when it does not tell.
func (s *Store) members(ctx context.Context) int {
	ctx, cancel := context.WithTimeout(ctx, s.callTimeout)
	defer cancel()
	client, err := s.calls.get(ctx)
	if err != nil {
		return 0
	}
	list, err := client.MemberList(ctx)
	if err != nil {
		return 0
	}
	return len(list.Members)
}
