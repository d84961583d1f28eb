package keyring

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
)

// Keyring is the keyset of a file as it was when last looked at.
type Keyring struct {
	file   string
	log    *slog.Logger
	keyset atomic.Pointer[Keyset]

	mu sync.Mutex // held by whoever reads the file
	// seen is the hash of the text that was read last, good or bad, and trouble what was wrong with it.
	seen    [sha256.Size]byte
	trouble string
}

// Open reads the file. A nil logger logs nothing.
func Open(file string, log *slog.Logger) (*Keyring, error) {
	k, err := Read(file)
	if err != nil {
		return nil, err
	}
	r := &Keyring{file: file, log: cmp.Or(log, slog.New(slog.DiscardHandler))}
	r.keyset.Store(&k)
	return r, nil
}

// Keyset returns the latest keyset.
func (r *Keyring) Keyset() Keyset { return *r.keyset.Load() }

// Refresh reads the file again and reports whether the keys are others than before. A file that cannot be read or
// understood is logged once, and the keys stay: it may be half written.
func (r *Keyring) Refresh() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	text, err := os.ReadFile(r.file)
	if err != nil {
		r.complain(err.Error())
		return false
	}
	sum := sha256.Sum256(text)
	if sum == r.seen {
		return false // and what is wrong with it was logged
	}
	r.seen = sum
	k, err := Parse(text)
	if err != nil {
		r.complain(fmt.Sprintf("%s: %v", r.file, err))
		return false
	}
	r.trouble = ""
	return r.replace(k)
}

func (r *Keyring) replace(k Keyset) bool {
	old := r.keyset.Swap(&k)
	if old.SameIDs(k) {
		return false
	}
	r.log.Info("keyset read", "primary", k.primary, "keys", k.ids)
	return true
}

func (r *Keyring) complain(trouble string) {
	if trouble != r.trouble {
		r.trouble = trouble
		r.log.Error("keyset file not usable; the keys of before stay in use", "error", trouble)
	}
}
