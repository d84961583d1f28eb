package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"strconv"
	"strings"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/store"
	"github.com/sluice-gateway/sluice/store/keyring"
)

// settings are the flags and the environment, read once.
type settings struct {
	listen                    string
	endpoints                 []string
	prefix                    string
	keysetFile                string
	plainSecrets              bool
	username, password        string
	adminTokens, viewerTokens []string
	reach                     core.Reach
	logLevel                  slog.Level
}

const (
	envListen     = "SLUICE_ADMIN_LISTEN"
	envPlain      = "SLUICE_INSECURE_PLAINTEXT_SECRETS"
	defaultListen = ":8081"
	// defaultEtcd is an etcd on this machine, for both of the gateway's commands.
	defaultEtcd = "http://127.0.0.1:2379"
)

const usage = `Usage: sluice-admin [flags]
       sluice-admin health [URL]

Serves the admin API. SLUICE_ADMIN_TOKEN and SLUICE_VIEWER_TOKEN hold its bearer tokens, SLUICE_ETCD_PASSWORD
the password for etcd; several tokens are separated by commas. health exits with 0 when the service at
URL is ready; by default that of this machine, by SLUICE_ADMIN_LISTEN.

Flags:
`

// parse reads the flags, whose defaults are in the environment. Secrets are in the environment only, since
// everyone can read a command line.
func parse(args []string, env func(string) string) (settings, error) {
	var s settings
	f := flag.NewFlagSet("sluice-admin", flag.ContinueOnError)
	f.Usage = func() {
		fmt.Fprint(f.Output(), usage)
		f.PrintDefaults()
	}
	f.StringVar(&s.listen, "listen", cmp.Or(env(envListen), defaultListen), "`address` to listen on ("+envListen+")")
	etcd := f.String("etcd", cmp.Or(env("SLUICE_ETCD_ENDPOINTS"), defaultEtcd), "comma-separated `endpoints` of etcd (SLUICE_ETCD_ENDPOINTS)")
	f.StringVar(&s.prefix, "etcd-prefix", cmp.Or(env("SLUICE_ETCD_PREFIX"), store.DefaultPrefix), "`prefix` of all keys in etcd (SLUICE_ETCD_PREFIX)")
	f.StringVar(&s.username, "etcd-username", env("SLUICE_ETCD_USERNAME"), "`name` of the user in etcd (SLUICE_ETCD_USERNAME)")
	f.StringVar(&s.keysetFile, "keyset-file", env("SLUICE_KEYSET_FILE"), "`file` with the keys that seal secrets in etcd, as made by 'sluice keys new'; it may change while the service runs (SLUICE_KEYSET_FILE)")
	plain, badPlain := truth(env(envPlain))
	f.BoolVar(&s.plainSecrets, "insecure-plaintext-secrets", plain, "store secrets as they are given, without a keyset ("+envPlain+")")
	allow := f.String("upstream-allow", env("SLUICE_UPSTREAM_ALLOW"), "comma-separated `list` of hosts, *.domains, addresses and CIDR ranges that providers may use; empty: all but link-local and metadata addresses (SLUICE_UPSTREAM_ALLOW)")
	var level slog.Level
	badLevel := level.UnmarshalText([]byte(cmp.Or(env("SLUICE_LOG_LEVEL"), "info")))
	f.TextVar(&s.logLevel, "log-level", level, "`level` of the log: debug, info, warn or error (SLUICE_LOG_LEVEL)")
	if err := f.Parse(args); err != nil {
		return s, err
	}
	if badLevel != nil {
		return s, fmt.Errorf("SLUICE_LOG_LEVEL: %w", badLevel)
	}
	if badPlain != nil {
		return s, fmt.Errorf("%s: %w", envPlain, badPlain)
	}
	if f.NArg() > 0 {
		return s, fmt.Errorf("unexpected argument %q", f.Arg(0))
	}
	s.endpoints = list(*etcd)
	reach, err := core.ParseReach(list(*allow))
	if err != nil {
		return s, fmt.Errorf("upstream-allow: %w", err)
	}
	s.reach = reach
	s.password = env("SLUICE_ETCD_PASSWORD")
	s.adminTokens, s.viewerTokens = list(env("SLUICE_ADMIN_TOKEN")), list(env("SLUICE_VIEWER_TOKEN"))
	switch {
	case len(s.endpoints) == 0:
		return s, errors.New("no etcd endpoints: set --etcd or SLUICE_ETCD_ENDPOINTS")
	case len(s.adminTokens) == 0:
		return s, errors.New("no admin token: set SLUICE_ADMIN_TOKEN")
	case s.keysetFile == "" && !s.plainSecrets:
		return s, errNoKeyset
	case s.keysetFile != "" && s.plainSecrets:
		return s, errors.New("--keyset-file and --insecure-plaintext-secrets exclude each other")
	}
	return s, nil
}

// errNoKeyset is also for who updates a gateway that had no keyset yet, and so says in which order to go about it.
var errNoKeyset = errors.New(`no keyset to seal secrets in etcd with: make one with 'sluice keys new --keyset-file FILE', give it to every proxy first and
then to this service (--keyset-file or SLUICE_KEYSET_FILE), and seal what is stored already with 'sluice keys encrypt'.
To go on storing secrets in plain text set --insecure-plaintext-secrets or ` + envPlain + `=true`)

// truth reads a boolean variable; unset is false.
func truth(text string) (bool, error) {
	if text == "" {
		return false, nil
	}
	return strconv.ParseBool(text)
}

// store returns how to open the store, having read the keyset.
func (s settings) store(log *slog.Logger) (store.Config, error) {
	cfg := store.Config{
		Endpoints: s.endpoints, Prefix: s.prefix, Username: s.username, Password: s.password,
		PlainSecrets: s.plainSecrets, Logger: log,
	}
	if s.keysetFile == "" {
		return cfg, nil
	}
	var err error
	cfg.Keys, err = keyring.Open(s.keysetFile, log)
	return cfg, err
}

// list splits at commas and leaves out what is empty.
func list(s string) []string {
	var out []string
	for part := range strings.SplitSeq(s, ",") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}
