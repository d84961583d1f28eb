package live

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/proxy/embed"
	"github.com/sluice-gateway/sluice/store"
)

// State is one snapshot and the store revision since which the document is as it was compiled from. It
// never changes.
type State struct {
	*core.Snapshot
	Revision int64
	// Rejected are the faults of resources that are not served as they are stored, sorted.
	Rejected []core.Fault
	// Document is what the snapshot was compiled from.
	Document *core.Document
	// Examples are those of the snapshot's semantic routings.
	Examples embed.Collections
}

// Holder keeps the current State.
type Holder struct {
	site    core.Site
	logger  *slog.Logger
	prepare func(*core.Snapshot) embed.Collections
	changed func(*State)
	current atomic.Pointer[State]
	seen    atomic.Int64 // revision up to which every change is in current

	mu      sync.Mutex
	pending *offer
	wake    chan struct{}

	accepted map[core.Ref]accepted // owned by Run
}

// offer is what the watcher has seen since Run last looked: an image, or only a later revision.
type offer struct {
	image    *store.Image
	revision int64
}

// New returns a Holder without a state. Documents are compiled for that site. prepare, which must not wait for anything,
// is called by Run before each publication, and changed after it, never concurrently. An advance of the revision alone is no news: telling the fleet of
// it would itself advance the revision.
func New(site core.Site, logger *slog.Logger, prepare func(*core.Snapshot) embed.Collections, changed func(*State)) *Holder {
	return &Holder{site: site, logger: logger, prepare: prepare, changed: changed, wake: make(chan struct{}, 1), accepted: map[core.Ref]accepted{}}
}

// Load returns the current state; nil before the first image.
func (h *Holder) Load() *State { return h.current.Load() }

// Revision returns the store revision up to which every change is served; 0 before the first image.
func (h *Holder) Revision() int64 { return h.seen.Load() }

// Offer hands over an image, replacing one that Run has not taken yet: only the latest matters.
func (h *Holder) Offer(image store.Image) { h.offer(&image, image.Revision) }

// Advance says that nothing changed up to revision.
func (h *Holder) Advance(revision int64) { h.offer(nil, revision) }

func (h *Holder) offer(image *store.Image, revision int64) {
	h.mu.Lock()
	if h.pending == nil {
		h.pending = &offer{}
	}
	if image != nil {
		h.pending.image = image
	}
	h.pending.revision = revision
	h.mu.Unlock()
	select {
	case h.wake <- struct{}{}:
	default:
	}
}

// Run compiles and publishes what is offered until ctx ends.
func (h *Holder) Run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-h.wake:
			h.take()
		}
	}
}

func (h *Holder) take() {
	h.mu.Lock()
	next := h.pending
	h.pending = nil
	h.mu.Unlock()
	if next == nil {
		return
	}
	if next.image != nil {
		state := h.build(*next.image)
		state.Examples = h.prepare(state.Snapshot)
		// Nothing below this line can fail: the swap.
		h.current.Store(state)
		h.logger.Info("snapshot published", "revision", state.Revision, "models", len(state.Names()), "rejected", len(state.Rejected))
	}
	h.seen.Store(next.revision)
	if next.image != nil {
		h.changed(h.current.Load())
	}
}
