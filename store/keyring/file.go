package keyring

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// fileMode lets nobody but the owner read the keys.
const fileMode = 0o600

// Read returns the keyset in the file.
func Read(file string) (Keyset, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return Keyset{}, fmt.Errorf("keyset file: %w", err)
	}
	k, err := Parse(text)
	if err != nil {
		return Keyset{}, fmt.Errorf("keyset file %s: %w", file, err)
	}
	return k, nil
}

// Create puts the keyset into a file that must not exist yet: what is sealed with an overwritten key is lost.
func Create(file string, k Keyset) error {
	text, err := k.MarshalText()
	if err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return fmt.Errorf("keyset file: %w", err)
	}
	if err := fill(f, text); err != nil {
		return fmt.Errorf("keyset file: %w", errors.Join(err, os.Remove(file)))
	}
	return nil
}

// Replace puts the keyset into an existing file in one step, with the file's own mode: a reader sees the old keys or the
// new, and a machine that dies leaves one of them.
func Replace(file string, k Keyset) error {
	text, err := k.MarshalText()
	if err != nil {
		return err
	}
	// A link is kept: what it leads to is replaced.
	if file, err = filepath.EvalSymlinks(file); err != nil {
		return fmt.Errorf("keyset file: %w", err)
	}
	old, err := os.Stat(file)
	if err != nil {
		return fmt.Errorf("keyset file: %w", err)
	}
	if err := swap(file, text, old.Mode().Perm()); err != nil {
		return fmt.Errorf("keyset file: %w", err)
	}
	return nil
}

func swap(file string, text []byte, mode fs.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(file), ".keyset-*")
	if err != nil {
		return err
	}
	err = errors.Join(f.Chmod(mode), fill(f, text))
	if err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// fill writes and closes the file, and comes back when it is on the disk.
func fill(f *os.File, text []byte) error {
	_, err := f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}
