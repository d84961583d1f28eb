//go:build linux || darwin || freebsd || netbsd || openbsd

package dev

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// lock takes the data folder for this process, until the file is closed. The etcd in the folder would wait for
// its turn without a word.
func lock(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		return f, nil
	}
	_ = f.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, fmt.Errorf("%s is in use by another sluice dev: stop it or choose another folder with --data-dir", dir)
	}
	return nil, fmt.Errorf("lock %s: %w", dir, err)
}
