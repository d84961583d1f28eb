package catalog

import (
	"slices"
	"sync"

	"github.com/sluice-gateway/sluice/store"
)

// maxPins bounds the memory for lists that callers have not read to the end: so many documents at the
// most, and only when each is of another revision.
const maxPins = 8

// pins keeps the images from which further pages are read, newest last. The zero value is empty.
type pins struct {
	mu     sync.Mutex
	images []store.Image
}

func (p *pins) put(img store.Image) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, kept := p.findLocked(img.Settled()); kept {
		return
	}
	if len(p.images) == maxPins {
		p.images = slices.Delete(p.images, 0, 1)
	}
	p.images = append(p.images, img)
}

// get returns the image of that settled revision, if it is still kept.
func (p *pins) get(revision int64) (store.Image, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.findLocked(revision)
}

func (p *pins) findLocked(revision int64) (store.Image, bool) {
	for _, img := range p.images {
		if img.Settled() == revision {
			return img, true
		}
	}
	return store.Image{}, false
}
