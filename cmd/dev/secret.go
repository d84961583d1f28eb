package dev

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/sluice-gateway/sluice/store/keyring"
)

// secret is a token of this Run and how it is shown in the lines to paste.
type secret struct {
	value string
	// shown is the value itself if it was generated, and otherwise the variable that it was taken from.
	shown string
}

// secrets are the two that the lines to paste need.
type secrets struct{ admin, caller secret }

func loadSecrets(cfg Config) (s secrets, err error) {
	if s.admin, err = loadSecret(cfg.AdminToken, "SLUICE_ADMIN_TOKEN", filepath.Join(cfg.DataDir, "admin-token"), "sluice-admin-"); err != nil {
		return s, fmt.Errorf("admin token: %w", err)
	}
	if s.caller, err = loadSecret(cfg.CallerKey, "SLUICE_CALLER_KEY", filepath.Join(cfg.DataDir, "caller-key"), "sk-demo-"); err != nil {
		return s, fmt.Errorf("caller key: %w", err)
	}
	return s, nil
}

// loadSecret returns the given value, or what the file holds, or a new value that it puts there.
func loadSecret(given, variable, file, prefix string) (secret, error) {
	if given != "" {
		return secret{given, "$" + variable}, nil
	}
	kept, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		made := prefix + strings.ToLower(rand.Text())
		return secret{made, made}, os.WriteFile(file, []byte(made+"\n"), 0o600)
	}
	if err != nil {
		return secret{}, err
	}
	value := strings.TrimSpace(string(kept))
	if value == "" {
		return secret{}, fmt.Errorf("%s is empty: remove it and a new one is made", file)
	}
	return secret{value, value}, nil
}

// loadKeys returns the keys of the file in the data folder, made on first use.
func loadKeys(cfg Config) (*keyring.Keyring, error) {
	file := filepath.Join(cfg.DataDir, "keyset.json")
	keys, err := keyring.Open(file, cfg.Logger)
	if !errors.Is(err, fs.ErrNotExist) {
		return keys, err
	}
	made, err := keyring.New()
	if err != nil {
		return nil, err
	}
	if err := keyring.Create(file, made); err != nil {
		return nil, err
	}
	return keyring.Open(file, cfg.Logger)
}
