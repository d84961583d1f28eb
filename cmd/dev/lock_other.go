//go:build !(linux || darwin || freebsd || netbsd || openbsd)

package dev

import (
	"os"
	"path/filepath"
)

// lock opens the file that other systems lock; here two processes on one folder are not told apart.
func lock(dir string) (*os.File, error) {
	return os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
}
