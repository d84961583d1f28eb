package store

import (
	"context"
	"fmt"
	"strings"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
)

// Space is how full etcd is, as one of its members tells it.
type Space struct {
	// InUse is what data and history take, Allocated the length of the file that holds them, Quota the length at
	// which etcd refuses writes; in bytes. Quota is zero where etcd does not tell it (before 3.6).
	InUse, Allocated, Quota int64
	// NoSpace: the alarm is raised and etcd refuses writes.
	NoSpace bool
}

// Space asks the member that this store is connected to.
func (s *Store) Space(ctx context.Context) (Space, error) {
	ctx, cancel := context.WithTimeout(ctx, s.callTimeout)
	defer cancel()
	client, err := s.calls.get(ctx)
	if err != nil {
		return Space{}, fmt.Errorf("read space: %w", readError(ctx, err))
	}
	answer, err := pb.NewMaintenanceClient(client.ActiveConnection()).Status(ctx, &pb.StatusRequest{})
	if err != nil {
		return Space{}, fmt.Errorf("read space: %w", readError(ctx, err))
	}
	return spaceOf(answer), nil
}

func spaceOf(answer *pb.StatusResponse) Space {
	s := Space{InUse: answer.DbSizeInUse, Allocated: answer.DbSize, Quota: max(answer.DbSizeQuota, 0)}
	for _, alarm := range answer.Errors {
		s.NoSpace = s.NoSpace || strings.Contains(alarm, pb.AlarmType_NOSPACE.String())
	}
	return s
}
