package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/proxy"
	"github.com/sluice-gateway/sluice/proxy/journal"
	"github.com/sluice-gateway/sluice/proxy/share"
	"github.com/sluice-gateway/sluice/store"
)

// settings are what flags and environment say; a flag wins over its variable.
type settings struct {
	listen, statusListen string
	advertise            string
	etcd                 []string
	prefix               string
	keysetFile           string
	username, password   string
	node, cell           string
	drain, settle        time.Duration
	reach                core.Reach
	maxBody, maxBuffered int64
	maxAnswer, maxEvent  int64
	failedStatus         int64
	treeAbove, etcdQuota int64
	decisions            int64
	logLevel             slog.Level
}

const usage = `Usage: sluice-proxy [flags]
       sluice-proxy health [URL]

Serves the OpenAI API as one node of the gateway. SLUICE_ETCD_PASSWORD holds the password for etcd; what
providers name as ${env:NAME} is taken from this node's environment too. health exits with 0 when the node
at URL is ready; by default that of this machine, by SLUICE_STATUS_LISTEN.

Flags:
`

// parse reads the flags, whose defaults are in the environment. Secrets are in the environment only, since
// everyone can read a command line.
func parse(args []string, out io.Writer) (settings, error) {
	var s settings
	var etcd, allow string
	var faults []error
	f := flag.NewFlagSet("sluice-proxy", flag.ContinueOnError)
	f.SetOutput(out)
	f.Usage = func() {
		fmt.Fprint(out, usage)
		f.PrintDefaults()
	}
	text := func(p *string, name, variable, fallback, help string) {
		f.StringVar(p, name, env(variable, fallback), help+" ($"+variable+")")
	}
	span := func(p *time.Duration, name, variable string, fallback time.Duration, help string) {
		d, err := time.ParseDuration(env(variable, fallback.String()))
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", variable, err))
		}
		f.DurationVar(p, name, d, help+" ($"+variable+")")
	}
	number := func(p *int64, name, variable string, fallback int64, help string) {
		n, err := strconv.ParseInt(env(variable, strconv.FormatInt(fallback, 10)), 10, 64)
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", variable, err))
		}
		f.Int64Var(p, name, n, help+" ($"+variable+")")
	}
	size := func(p *int64, name, variable string, fallback int64, help string) {
		number(p, name, variable, fallback, help+", in bytes")
	}
	number(&s.failedStatus, "failed-status", "SLUICE_FAILED_STATUS", 0, "status 5xx that is answered instead of 502 and 504, for CDNs that replace the bodies of those; 0: as they are")
	size(&s.maxBody, "max-body", "SLUICE_MAX_BODY", proxy.DefaultMaxBody, "largest request body")
	size(&s.maxBuffered, "max-buffered", "SLUICE_MAX_BUFFERED", proxy.DefaultMaxBuffered, "largest sum of request bodies and whole answers held at one time")
	size(&s.maxAnswer, "max-answer", "SLUICE_MAX_ANSWER", proxy.DefaultMaxAnswer, "largest answer that is not a stream")
	size(&s.maxEvent, "max-event", "SLUICE_MAX_EVENT", proxy.DefaultMaxEvent, "largest event of a stream")
	text(&s.listen, "listen", "SLUICE_PROXY_LISTEN", ":8080", "address of the API")
	text(&s.statusListen, "status-listen", "SLUICE_STATUS_LISTEN", ":9090", "address of /status, /metrics, /livez and /readyz")
	text(&s.advertise, "advertise", "SLUICE_ADVERTISE", "", "host:port where the admin service reaches the status listener; empty: its address, or the one from which this node reaches etcd")
	text(&etcd, "etcd", "SLUICE_ETCD_ENDPOINTS", defaultEtcd, "etcd endpoints, separated by commas")
	text(&s.prefix, "etcd-prefix", "SLUICE_ETCD_PREFIX", store.DefaultPrefix, "prefix of every key")
	text(&s.username, "etcd-username", "SLUICE_ETCD_USERNAME", "", "name of the user in etcd")
	text(&s.keysetFile, "keyset-file", "SLUICE_KEYSET_FILE", "", "file with the keys that open the secrets in etcd, as made by 'sluice keys new'; it may change while the node runs")
	text(&s.node, "node", "SLUICE_NODE_ID", "", "name of this node, new with every start; random when empty")
	text(&s.cell, "cell", "SLUICE_CELL", proxy.DefaultCell, "part of the fleet that shares latency signals: one region or egress")
	text(&allow, "upstream-allow", "SLUICE_UPSTREAM_ALLOW", "", "hosts, *.domains, addresses and CIDR ranges that providers may use, separated by commas; empty: all but link-local and metadata addresses")
	number(&s.treeAbove, "tree-above", "SLUICE_TREE_ABOVE", share.DefaultTreeAbove, "above how many nodes of the cell one of them aggregates the signals for all, instead of everyone following everyone")
	size(&s.etcdQuota, "etcd-quota", "SLUICE_ETCD_QUOTA", share.DefaultQuota, "what etcd may hold, where it does not tell that itself (before 3.6): signals stop before it is full")
	number(&s.decisions, "decisions", "SLUICE_DECISIONS", journal.Default, "how many of the latest requests' decisions are remembered to be asked for; 0: none")
	span(&s.drain, "drain", "SLUICE_DRAIN", proxy.DefaultDrain, "how long answers under way may take to finish at shutdown")
	span(&s.settle, "settle", "SLUICE_SETTLE", 2*time.Second, "how long new connections are still accepted at shutdown, while load balancers notice")
	f.TextVar(&s.logLevel, "log-level", logLevel(&faults), "debug, info, warn or error ($SLUICE_LOG_LEVEL)")
	if err := f.Parse(args); err != nil {
		return s, err
	}
	if f.NArg() > 0 {
		faults = append(faults, fmt.Errorf("unknown argument %q", f.Arg(0)))
	}
	for name, n := range map[string]int64{"max-body": s.maxBody, "max-buffered": s.maxBuffered, "max-answer": s.maxAnswer, "max-event": s.maxEvent, "etcd-quota": s.etcdQuota} {
		if n <= 0 || n > maxSize {
			faults = append(faults, fmt.Errorf("%s: must be between 1 and %d bytes", name, maxSize))
		}
	}
	if s.treeAbove < 1 || s.treeAbove > maxTree {
		faults = append(faults, fmt.Errorf("tree-above: must be between 1 and %d nodes", maxTree))
	}
	if s.decisions < 0 || s.decisions > maxDecisions {
		faults = append(faults, fmt.Errorf("decisions: must be between 0 and %d", maxDecisions))
	}
	if n := s.failedStatus; n != 0 && (n < 500 || n > 599) {
		faults = append(faults, errors.New("failed-status: must be 0 or between 500 and 599"))
	}
	if s.etcd = split(etcd); len(s.etcd) == 0 {
		faults = append(faults, errors.New("no etcd endpoints: set --etcd or SLUICE_ETCD_ENDPOINTS"))
	}
	if _, _, err := net.SplitHostPort(s.advertise); s.advertise != "" && err != nil {
		faults = append(faults, fmt.Errorf("advertise: must be host:port: %w", err))
	}
	var err error
	if s.reach, err = core.ParseReach(split(allow)); err != nil {
		faults = append(faults, fmt.Errorf("upstream-allow: %w", err))
	}
	s.password = os.Getenv("SLUICE_ETCD_PASSWORD")
	return s, errors.Join(faults...)
}

// defaultEtcd is an etcd on this machine, for both of the gateway's commands.
const defaultEtcd = "http://127.0.0.1:2379"

// maxSize keeps sums of sizes far from any overflow, on any machine.
const maxSize = 1 << 40

// maxTree is more nodes than any cell has.
const maxTree = 1_000_000

// maxDecisions is some GiB of decisions about large routings.
const maxDecisions = 100_000

func logLevel(faults *[]error) slog.Level {
	var level slog.Level
	if err := level.UnmarshalText([]byte(env("SLUICE_LOG_LEVEL", "info"))); err != nil {
		*faults = append(*faults, fmt.Errorf("SLUICE_LOG_LEVEL: %w", err))
	}
	return level
}

func env(variable, fallback string) string {
	if v, ok := os.LookupEnv(variable); ok && v != "" {
		return v
	}
	return fallback
}

func split(list string) []string {
	var out []string
	for _, s := range strings.Split(list, ",") {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// buildVersion is set by the linker in release builds.
var buildVersion string

func version() string {
	if buildVersion != "" {
		return buildVersion
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "unknown"
}
