package rotation

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/store"
	"github.com/sluice-gateway/sluice/store/keyring"
)

// Config says what to rotate. All fields are required.
type Config struct {
	// File is the keyset file; it is replaced.
	File  string
	Store store.Config
	// Patience is how long live nodes may take to read a file that has changed.
	Patience time.Duration
	// Out is told of each step.
	Out io.Writer
}

// Run adds the next key to the file, waits until every live node has it, makes it the primary one and seals every
// secret with it. After an error it goes on where it ended when it is run again, unless the error says otherwise.
func Run(ctx context.Context, cfg Config) error {
	keys, err := prepare(cfg)
	if err != nil {
		return err
	}
	next, _ := keys.Next()
	if err := awaitNodes(ctx, cfg, next); err != nil {
		return err
	}
	if keys, err = keys.Rotated(); err != nil {
		return err
	}
	if err := keyring.Replace(cfg.File, keys); err != nil {
		return err
	}
	fmt.Fprintf(cfg.Out, "key %d is the primary key\n", next)
	if err := Seal(ctx, cfg); err != nil {
		return fmt.Errorf("the key is rotated, not all is sealed with it; finish with 'sluice keys encrypt': %w", err)
	}
	return nil
}

// prepare returns the keyset of the file with a next key, once the file has that too.
func prepare(cfg Config) (keyring.Keyset, error) {
	keys, err := keyring.Read(cfg.File)
	if err != nil {
		return keys, err
	}
	if _, ok := keys.Next(); ok {
		return keys, nil
	}
	if keys, err = keys.Prepared(); err != nil {
		return keys, err
	}
	next, _ := keys.Next()
	fmt.Fprintf(cfg.Out, "key %d is in the file, to be the next\n", next)
	return keys, keyring.Replace(cfg.File, keys)
}

// pace is how often nodes are looked at.
const pace = 100 * time.Millisecond

func awaitNodes(ctx context.Context, cfg Config, key uint32) error {
	st, err := store.Open(cfg.Store)
	if err != nil {
		return err
	}
	defer st.Close()
	limited, cancel := context.WithTimeout(ctx, cfg.Patience)
	defer cancel()
	ticks := time.NewTicker(pace)
	defer ticks.Stop()
	for {
		without, all, err := without(ctx, st, key)
		if err != nil {
			return err
		}
		if len(without) == 0 {
			fmt.Fprintf(cfg.Out, "live nodes that have it: %d\n", all)
			return nil
		}
		select {
		case <-limited.Done():
			return fmt.Errorf("nodes without key %d: %s: nothing is sealed with it yet; give them the keyset file and run this again", key, strings.Join(without, ", "))
		case <-ticks.C:
		}
	}
}

// without returns the live nodes that do not say that they have the key, and how many there are in all.
func without(ctx context.Context, st *store.Store, key uint32) (names []string, all int, err error) {
	records, err := st.Nodes(ctx)
	if err != nil {
		return nil, 0, err
	}
	for _, r := range records {
		var status core.NodeStatus
		if json.Unmarshal(r.Value, &status) != nil || !slices.Contains(status.Keys, key) {
			names = append(names, r.Node)
		}
	}
	return names, len(records), nil
}

// Seal seals every secret that is stored in plain text, or under another key, with the file's primary key.
func Seal(ctx context.Context, cfg Config) error {
	keys, err := keyring.Open(cfg.File, nil)
	if err != nil {
		return err
	}
	cfg.Store.Keys = keys
	st, err := store.Open(cfg.Store)
	if err != nil {
		return err
	}
	defer st.Close()
	done, err := st.Reseal(ctx)
	fmt.Fprintf(cfg.Out, "resources sealed with key %d: %d\n", keys.Keyset().Primary(), done.Resources)
	if err != nil {
		return err
	}
	for _, f := range done.Locked {
		fmt.Fprintln(cfg.Out, "left as it is: "+f.Error())
	}
	if n := len(done.Locked); n > 0 {
		return fmt.Errorf("secrets that do not open: %d", n)
	}
	return nil
}
