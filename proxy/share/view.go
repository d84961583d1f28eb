package share

import (
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sluice-gateway/sluice/core/signal"
)

// Mode says how a node learns what the others measure.
type Mode int32

// The modes.
const (
	// Flat: every node follows every other.
	Flat Mode = iota
	// Tree: an elected aggregator follows all and writes what they say together.
	Tree
)

// String names the mode as logs and metrics show it.
func (m Mode) String() string {
	if m == Tree {
		return "tree"
	}
	return "flat"
}

// smallAgain is the share of TreeAbove below which a cell does without an aggregator again, so that one that
// hovers around it does not change back and forth.
const smallAgain = 0.8

// flood is how many times TreeAbove a cell is that nobody follows member by member any more, not even until there is a
// root: a thousand nodes that start at once would have etcd deliver a million values.
const flood = 2

// view is what this node sees of its cell. Members always write the same keys, so nodes of either mode live in one
// cell: a node becomes Tree when the cell is large and a root has come, and Flat when the cell is small and the
// members have been listed; until then it keeps what it has.
type view struct {
	cfg   Config
	board *signal.Board
	live  atomic.Pointer[[]string] // who publishes, sorted, this node included
	// listed: the others are known. Until then this node sees only itself.
	listed  atomic.Bool
	current atomic.Pointer[time.Time] // when the view was last known to be up to date

	mu         sync.Mutex
	changed    chan struct{} // closed, and replaced, when what follows has changed
	in         Mode
	large      bool
	rooted     bool            // the root's keys have been listed
	sized      bool            // counted is known
	counted    int             // how many members there were at first; 0 once they are listed
	aggregator string          // "": none
	roster     []string        // the live nodes as the aggregator tells; nil: it has not told
	members    map[string]bool // who has a key, while Flat
	unread     bool            // the root is not understood, as while a fleet changes versions
	relist     func()          // ends what is followed, to begin anew
	ended      bool            // what is still brought was under way before drop
}

func newView(cfg Config, board *signal.Board) *view {
	v := &view{cfg: cfg, board: board, changed: make(chan struct{}), members: map[string]bool{}, relist: func() {}}
	v.live.Store(&[]string{cfg.Node})
	now := time.Now()
	v.current.Store(&now)
	return v
}

func (v *view) mode() Mode {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.in
}

// touchLocked publishes who is live, after more than one node has come or gone.
func (v *view) touchLocked() {
	live := append(slices.Collect(maps.Keys(v.members)), v.cfg.Node)
	if v.in == Tree || !v.listed.Load() {
		live = append(slices.Clone(v.roster), v.cfg.Node)
	}
	slices.Sort(live)
	v.publishLocked(slices.Compact(live))
}

// publishLocked publishes who is live and wakes whoever waits for something.
func (v *view) publishLocked(live []string) {
	v.live.Store(&live)
	above := float64(v.cfg.TreeAbove)
	if v.large {
		above *= smallAgain
	}
	v.large = float64(max(len(live), v.counted)) > above
	close(v.changed)
	v.changed = make(chan struct{})
}

// joinLocked notes a member that has come.
func (v *view) joinLocked(node string) {
	v.members[node] = true
	live := *v.live.Load()
	if at, known := slices.BinarySearch(live, node); !known {
		v.publishLocked(slices.Insert(slices.Clone(live), at, node))
	}
}

// partLocked notes a member that is gone. This node stays, whatever becomes of its key.
func (v *view) partLocked(node string) {
	delete(v.members, node)
	live := *v.live.Load()
	if at, known := slices.BinarySearch(live, node); known && node != v.cfg.Node {
		v.publishLocked(slices.Delete(slices.Clone(live), at, at+1))
	}
}

// await waits until ok, which is called with the view locked.
func (v *view) await(ctx context.Context, ok func() bool) error {
	for {
		v.mu.Lock()
		done, changed := ok(), v.changed
		v.mu.Unlock()
		if done {
			return ctx.Err()
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// wantsMembers says that every member must be followed. Before the root's keys are known it does not, nor while a root
// is on its way to a large cell: such a cell is never listed by all.
func (v *view) wantsMembers() bool {
	switch {
	case !v.rooted, !v.sized, max(len(*v.live.Load()), v.counted) > flood*v.cfg.TreeAbove:
		return false
	case v.in == Tree:
		return !v.large || v.unread
	}
	return v.listed.Load() || !v.large || v.unread
}

// vacant says that the cell needs an aggregator, which may be this node.
func (v *view) vacant() bool {
	return v.large && v.rooted && (v.aggregator == "" || v.aggregator == v.cfg.Node)
}

// heardRoot takes in what the aggregator has written. own is what of it is this node's.
func (v *view) heardRoot(all, own *signal.Peer) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.ended || v.in == Flat && !v.large {
		return
	}
	v.board.SetRoot(all, own)
	v.unread = false
	if v.in == Flat {
		v.in = Tree
		v.board.Fold(time.Now())
		v.listed.Store(true)
		v.counted = 0
		clear(v.members)
		v.touchLocked()
		v.cfg.Logger.Info("signals come by way of an aggregator", "nodes", len(*v.live.Load()), "aggregator", v.aggregator)
	}
}

// listedMembers takes in all members at once.
func (v *view) listedMembers(peers map[string]*signal.Peer, nodes []string, now time.Time) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.ended {
		return
	}
	was := v.in
	v.in = Flat
	clear(v.members)
	for _, node := range nodes {
		v.members[node] = true // this node's own key too: what it measured before a restart is as good as anyone's
	}
	v.board.Reset(peers, now)
	v.board.Fold(now)
	v.listed.Store(true)
	v.counted = 0
	v.touchLocked()
	if was == Tree {
		v.cfg.Logger.Info("signals come from every node", "nodes", len(*v.live.Load()))
	}
}

// heardMember takes in one member; p is nil when its value is not understood.
func (v *view) heardMember(node string, p *signal.Peer) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.ended || v.in != Flat {
		return // the last of a watch that ends
	}
	if p != nil {
		v.board.SetPeer(node, p)
	}
	if !v.members[node] {
		v.joinLocked(node)
	}
}

func (v *view) lostMember(node string, now time.Time) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.ended || v.in != Flat {
		return
	}
	v.board.Gone(node, now)
	v.partLocked(node)
}

// look calls f with the view locked.
func (v *view) look(f func()) {
	v.mu.Lock()
	defer v.mu.Unlock()
	f()
}

// firstRooted notes that the root's keys are known, if there are any.
func (v *view) firstRooted() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if !v.rooted && !v.ended {
		v.rooted = true
		v.touchLocked()
	}
}

// set changes what is known of the cell.
func (v *view) set(change func()) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if !v.ended {
		change()
		v.touchLocked()
	}
}

// upToDate notes that nothing is missing as of now. By way of an aggregator that takes one that lives.
func (v *view) upToDate(by Mode, now time.Time) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.in == by && !v.ended && (by == Flat || v.aggregator != "" && !v.unread) {
		v.current.Store(&now)
	}
}

func (v *view) fold(now time.Time) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.board.Fold(now)
}

// begin notes how to begin anew.
func (v *view) begin(relist func()) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.relist, v.ended = relist, false
}

// drop forgets everything, this node's own measurements too, and begins anew.
func (v *view) drop() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.board.SetRoot(nil, nil)
	v.board.Forget(func(signal.Key) bool { return false })
	v.board.Fold(time.Now())
	v.in, v.rooted, v.sized, v.unread, v.counted, v.aggregator, v.roster = Flat, false, false, false, 0, "", nil
	clear(v.members)
	v.listed.Store(false)
	v.touchLocked()
	v.ended = true
	v.relist()
}
