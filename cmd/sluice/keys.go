package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/sluice-gateway/sluice/cmd/rotation"
	"github.com/sluice-gateway/sluice/store"
	"github.com/sluice-gateway/sluice/store/keyring"
)

// keysPatience is several times as long as a node takes to look at its file again.
const keysPatience = 30 * time.Second

// safe is the keyset file that a command works on, and the etcd whose secrets it protects.
type safe struct {
	file string
	keep keeper
}

func keysCommand() *cobra.Command {
	var s safe
	c := &cobra.Command{
		Use:   "keys",
		Short: "Make, rotate and look at the keys that seal secrets in etcd.",
		Long: `Make, rotate and look at the keys that seal secrets in etcd. They are in a file, a keyset in Tink's JSON format: admin
service and proxies all have it. One key is the primary, which seals; all keys open. Keep a copy: without
the file the secrets in etcd are lost.`,
		Args: cobra.NoArgs,
	}
	c.PersistentFlags().StringVar(&s.file, "keyset-file", os.Getenv("SLUICE_KEYSET_FILE"), "the keyset file (SLUICE_KEYSET_FILE)")
	c.AddCommand(s.newCommand(), s.listCommand(), s.rotateCommand(), s.encryptCommand(), s.removeCommand())
	return c
}

func (s *safe) named() error {
	if s.file == "" {
		return errors.New("no keyset file: set --keyset-file or SLUICE_KEYSET_FILE")
	}
	return nil
}

// store opens the etcd that must have been named.
func (s *safe) store() (*store.Store, error) {
	if len(s.keep.endpoints) == 0 {
		return nil, errors.New("no etcd endpoints: set --etcd or SLUICE_ETCD_ENDPOINTS")
	}
	return store.Open(s.keep.config())
}

func (s *safe) newCommand() *cobra.Command {
	var missing bool
	c := &cobra.Command{
		Use:   "new",
		Short: "Make a keyset file of one new key. A file that exists is never overwritten.",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := s.named(); err != nil {
				return err
			}
			if missing {
				if keys, err := keyring.Read(s.file); !errors.Is(err, os.ErrNotExist) {
					if err == nil {
						fmt.Fprintf(c.OutOrStdout(), "%s is there, with key %d\n", s.file, keys.Primary())
					}
					return err
				}
			}
			keys, err := keyring.New()
			if err != nil {
				return err
			}
			if err := keyring.Create(s.file, keys); err != nil {
				return err
			}
			_, err = fmt.Fprintf(c.OutOrStdout(), "%s has key %d; keep a copy of it in a safe place\n", s.file, keys.Primary())
			return err
		},
	}
	c.Flags().BoolVar(&missing, "if-missing", false, "leave a keyset that is there as it is, without an error")
	return c
}

func (s *safe) listCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "list",
		Short: "Show the keys of the file and, with --etcd, how many secrets are sealed with each.",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := s.named(); err != nil {
				return err
			}
			keys, err := keyring.Read(s.file)
			if err != nil {
				return err
			}
			if len(s.keep.endpoints) == 0 {
				return rotation.List(c.Context(), c.OutOrStdout(), keys, nil)
			}
			return s.with(func(st *store.Store) error { return rotation.List(c.Context(), c.OutOrStdout(), keys, st) })
		},
	}
	s.keep.flags(c)
	return c
}

// with runs f over the store.
func (s *safe) with(f func(*store.Store) error) error {
	if err := s.named(); err != nil {
		return err
	}
	st, err := s.store()
	if err != nil {
		return err
	}
	defer st.Close()
	return f(st)
}

func (s *safe) rotateCommand() *cobra.Command {
	patience := keysPatience
	c := &cobra.Command{
		Use:   "rotate",
		Short: "Seal all secrets with a new key, while the gateway runs.",
		Long: `Seal all secrets with a new key, while the gateway runs: the key is added to the file; once every live node has read it,
it becomes the primary one, and all secrets are sealed with it. Where nodes have copies of the file, the command ends with the names of
those that do not have the key yet: bring them the file and run it again, then bring everyone the file that it has left.
Older keys stay in the file until 'sluice keys remove'.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return s.rotation(c, patience, rotation.Run) },
	}
	s.keep.flags(c)
	c.Flags().DurationVar(&patience, "patience", patience, "how long nodes may take to read the new key")
	return c
}

func (s *safe) encryptCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "encrypt",
		Short: "Seal every secret that is in plain text, or under another key, with the primary key.",
		Long: `Seal every secret that is in plain text, or under another key, with the primary key. Every node must have that key:
'sluice fleet -o json' shows the keys of each. What was in plain text stays in etcd's history until it is compacted, in its files
until it is defragmented, and in its backups.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return s.rotation(c, keysPatience, rotation.Seal) },
	}
	s.keep.flags(c)
	return c
}

func (s *safe) rotation(c *cobra.Command, patience time.Duration, run func(context.Context, rotation.Config) error) error {
	return s.with(func(*store.Store) error {
		return run(c.Context(), rotation.Config{File: s.file, Store: s.keep.config(), Patience: patience, Out: c.OutOrStdout()})
	})
}

func (s *safe) removeCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "remove KEY",
		Short: "Take a key out of the file that seals nothing any more.",
		Args:  cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			id, err := strconv.ParseUint(args[0], 10, 32)
			if err != nil {
				return fmt.Errorf("%q is not the id of a key", args[0])
			}
			return s.with(func(st *store.Store) error { return rotation.Remove(c.Context(), s.file, uint32(id), st) })
		},
	}
	s.keep.flags(c)
	return c
}
