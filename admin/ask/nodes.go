package ask

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"syscall"
	"time"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/store"
)

const (
	// connectLimit tells a node that is away from one that thinks.
	connectLimit = 2 * time.Second
	// findLimit bounds the search for a decision on all nodes: each looks into its memory only.
	findLimit = 3 * time.Second
	// explainLimit is above what a node waits for an embedding.
	explainLimit = 20 * time.Second
	// maxAnswer bounds what is read of an answer: a decision about a routing of the most targets is below.
	maxAnswer = 8 << 20
	// atOnce bounds the nodes that are asked at one time.
	atOnce = 32
	// tries is how many nodes are asked for an answer that any can give.
	tries = 3
)

type source interface {
	Nodes(ctx context.Context) ([]store.NodeRecord, error)
	NodeToken(ctx context.Context, node string) (string, error)
}

// Nodes are the live proxy nodes.
type Nodes struct {
	store source
	http  *http.Client
}

// New returns the nodes that the store knows.
func New(s source) *Nodes {
	t := &http.Transport{ // no proxy: nodes are on the control plane's own network
		DialContext: (&net.Dialer{Timeout: connectLimit, Control: guard}).DialContext, MaxIdleConnsPerHost: 2, IdleConnTimeout: time.Minute,
	}
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse } // the token is for this address
	return &Nodes{s, &http.Client{Transport: t, CheckRedirect: stay}}
}

// guard refuses addresses at which no node is, whoever wrote them to the store: link-local ones, where clouds hand out
// credentials, above all. It is asked after name resolution.
func guard(_, resolved string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(resolved)
	if err != nil {
		return err
	}
	return core.Reach{}.Address("", to.Addr())
}

// Errors of which a caller can do something; errors.Is tells them apart.
var (
	// ErrNoNode: no node lives, or not the one that is meant.
	ErrNoNode = errors.New("no such node is live")
	// ErrUnreachable: a node lives and cannot be asked.
	ErrUnreachable = errors.New("the node cannot be asked")
)

// Unreachable is a node that could not be asked.
type Unreachable struct {
	Node string
	// Reason says why, without addresses of the caller's or secrets.
	Reason string
}

// Error names the node.
func (u *Unreachable) Error() string { return "node " + u.Node + ": " + u.Reason }

// Is makes it an ErrUnreachable.
func (u *Unreachable) Is(target error) bool { return target == ErrUnreachable }

// live returns the live nodes in random order; those that drain come behind the others, and those that do not say where they
// can be reached, as older versions do not, come last.
func (n *Nodes) live(ctx context.Context) ([]core.NodeStatus, error) {
	records, err := n.store.Nodes(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]core.NodeStatus, 0, len(records))
	for _, r := range records {
		var s core.NodeStatus
		if err := json.Unmarshal(r.Value, &s); err != nil {
			s = core.NodeStatus{}
		}
		s.ID = r.Node
		out = append(out, s)
	}
	rand.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	slices.SortStableFunc(out, func(a, b core.NodeStatus) int { return cmp.Compare(reluctance(&a), reluctance(&b)) })
	return out, nil
}

func reluctance(s *core.NodeStatus) int {
	switch {
	case !reachable(s.Address):
		return 2
	case s.Draining:
		return 1
	}
	return 0
}

// reachable reports whether the text is host:port and nothing else: it becomes part of a URL, and comes from etcd.
func reachable(address string) bool {
	u, err := url.Parse("http://" + address)
	return err == nil && u.Host == address && u.Port() != "" && u.Hostname() != ""
}

// choose returns the node of that name, or some to try one after the other if the name is empty.
func (n *Nodes) choose(ctx context.Context, name string) ([]core.NodeStatus, error) {
	nodes, err := n.live(ctx)
	if err != nil {
		return nil, err
	}
	if name != "" {
		nodes = slices.DeleteFunc(nodes, func(s core.NodeStatus) bool { return s.ID != name })
	}
	if len(nodes) == 0 {
		return nil, fmt.Errorf("%w: %s", ErrNoNode, name)
	}
	return nodes[:min(len(nodes), tries)], nil
}
