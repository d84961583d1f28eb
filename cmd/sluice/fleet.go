package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sluice-gateway/sluice/cmd/control"
	"github.com/sluice-gateway/sluice/cmd/show"
)

// Exit codes of the commands that look at a gateway, so that a script can tell what they found.
const (
	exitTrouble = 1 // they looked, and something is wrong
	exitBlind   = 2 // they could not look
)

// exitError ends the program with a code of its own.
type exitError struct {
	code int
	error
}

// defaultPatience is how long a change takes to reach every node when all is well, with room for a busy machine.
const defaultPatience = 2 * time.Second

// access says which admin service to ask, and as whom.
type access struct{ admin, token string }

func (a *access) flags(c *cobra.Command) {
	c.Flags().StringVar(&a.admin, "admin", cmp.Or(os.Getenv("SLUICE_ADMIN_URL"), "http://127.0.0.1:8081"), "address of the admin service (SLUICE_ADMIN_URL)")
	c.Flags().StringVar(&a.token, "token", "", "token of the admin service, which others on this machine can read here; better in SLUICE_ADMIN_TOKEN or SLUICE_VIEWER_TOKEN")
}

func (a *access) client() (*control.Client, error) {
	// The service takes several tokens, separated by commas.
	given := cmp.Or(a.token, os.Getenv("SLUICE_ADMIN_TOKEN"), os.Getenv("SLUICE_VIEWER_TOKEN"))
	first, _, _ := strings.Cut(strings.TrimLeft(given, ", "), ",")
	return control.New(a.admin, strings.TrimSpace(first))
}

func fleetCommand() *cobra.Command {
	var who access
	var cell, output string
	patience := defaultPatience
	c := &cobra.Command{
		Use:   "fleet",
		Short: "Show the live nodes, how far they are, and what they measure together.",
		Long: `Show the live nodes, how far they are, and what they measure together: per target and class of request the merged
latency estimate, its means over 3, 10 and 60 s, the samples behind it, failures, the share of the cell's recent attempts,
cooldowns, and which nodes have measured it. A latency with a ~ is borrowed from the other class.

Exit codes: 0 every node serves what is stored; 1 a node lags, rejects a resource, or there is none; 2 the admin service could
not be asked.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if output != "table" && output != "json" {
				return fmt.Errorf("--output must be table or json, not %q", output)
			}
			client, err := who.client()
			if err != nil {
				return exitError{exitBlind, err}
			}
			defer client.Close()
			raw, report, err := client.Settled(c.Context(), cell, patience)
			if err != nil {
				return exitError{exitBlind, err}
			}
			if output == "json" {
				_, err = c.OutOrStdout().Write(raw)
			} else {
				err = show.Fleet(c.OutOrStdout(), report, time.Now())
			}
			if trouble := show.Trouble(report); err == nil && len(trouble) > 0 {
				err = exitError{exitTrouble, errors.New(strings.Join(trouble, "; "))}
			}
			return err
		},
	}
	who.flags(c)
	c.Flags().StringVar(&cell, "cell", "", "only this cell")
	c.Flags().StringVarP(&output, "output", "o", "table", "table, or json as the admin service writes it")
	c.Flags().DurationVar(&patience, "patience", patience, "how long nodes may take to catch up with the last change before that is trouble")
	return c
}
