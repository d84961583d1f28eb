package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/sluice-gateway/sluice/cmd/doctor"
	"github.com/sluice-gateway/sluice/store"
)

func doctorCommand() *cobra.Command {
	var who access
	var keep keeper
	var proxies []string
	var output string
	patience := defaultPatience
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Examine a gateway that runs, and say what to do.",
		Long: `Examine a gateway that runs: the admin service and the token; whether every node serves the last change, all resources
and all secrets; versions, signals and targets; with --etcd, its members, space and compaction, and the nodes too while the
admin service is away; with --proxy, single nodes. It changes nothing. Clocks are not compared: nothing depends on them agreeing.

Exit codes: 0 no check failed, though some may warn; 1 a check failed; 2 nothing could be examined.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if output != "text" && output != "json" {
				return fmt.Errorf("--output must be text or json, not %q", output)
			}
			client, err := who.client()
			if err != nil {
				return exitError{exitBlind, err}
			}
			defer client.Close()
			cfg := doctor.Config{Admin: client, Proxies: addresses(proxies), Patience: patience}
			if len(keep.endpoints) > 0 {
				if cfg.Store, err = store.Open(keep.config()); err != nil {
					return exitError{exitBlind, err}
				}
				defer cfg.Store.Close()
			}
			checks := doctor.Run(c.Context(), cfg)
			if err := write(c.OutOrStdout(), output, checks); err != nil {
				return err
			}
			if failed := doctor.Failed(checks); len(failed) > 0 {
				return exitError{exitTrouble, fmt.Errorf("failed: %s", strings.Join(failed, ", "))}
			}
			return nil
		},
	}
	who.flags(c)
	keep.flags(c)
	c.Flags().StringSliceVar(&proxies, "proxy", nil, "address of a proxy's status listener, such as http://10.0.0.7:9090; may be repeated")
	c.Flags().StringVarP(&output, "output", "o", "text", "text or json")
	c.Flags().DurationVar(&patience, "patience", patience, "how long nodes may take to catch up with the last change before that is trouble")
	return c
}

func write(w io.Writer, output string, checks []doctor.Check) error {
	if output == "text" {
		return doctor.Print(w, checks)
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(checks)
}

// addresses adds what people leave out.
func addresses(proxies []string) (out []string) {
	for _, p := range proxies {
		if !strings.Contains(p, "://") {
			p = "http://" + p
		}
		out = append(out, strings.TrimRight(p, "/"))
	}
	return out
}

// keeper says where the gateway's etcd is, if it is to be asked.
type keeper struct {
	endpoints                  []string
	prefix, username, password string
	timeout                    time.Duration
}

// defaultTimeout is longer than an election of etcd, and short of a person's patience.
const defaultTimeout = 3 * time.Second

func (k *keeper) flags(c *cobra.Command) {
	var known []string
	for e := range strings.SplitSeq(os.Getenv("SLUICE_ETCD_ENDPOINTS"), ",") {
		if e = strings.TrimSpace(e); e != "" {
			known = append(known, e)
		}
	}
	k.password = os.Getenv("SLUICE_ETCD_PASSWORD")
	f := c.Flags()
	f.StringSliceVar(&k.endpoints, "etcd", known, "etcd endpoints to examine (SLUICE_ETCD_ENDPOINTS); the password is taken from SLUICE_ETCD_PASSWORD")
	f.StringVar(&k.prefix, "etcd-prefix", cmp.Or(os.Getenv("SLUICE_ETCD_PREFIX"), store.DefaultPrefix), "prefix of every key (SLUICE_ETCD_PREFIX)")
	f.StringVar(&k.username, "etcd-username", os.Getenv("SLUICE_ETCD_USERNAME"), "name of the user in etcd (SLUICE_ETCD_USERNAME)")
	f.DurationVar(&k.timeout, "etcd-timeout", defaultTimeout, "how long etcd may take for one answer")
}

func (k *keeper) config() store.Config {
	return store.Config{Endpoints: k.endpoints, Prefix: k.prefix, Username: k.username, Password: k.password, CallTimeout: k.timeout}
}
