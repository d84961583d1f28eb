// Command node is a proxy node that says how much it holds when its standard input asks.
//
// It prints the addresses of its listeners as one JSON line and serves until its standard input ends. Each
// line "figures", "settle" or "profile DIR" there is answered by the figures as one JSON line.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"os"
	"strings"
	"time"

	"github.com/sluice-gateway/sluice/proxy"
	"github.com/sluice-gateway/sluice/store"
	"github.com/sluice-gateway/sluice/tests/soak/figures"
)

// drain is short: the soak stops its nodes when nothing is under way.
const drain = 5 * time.Second

func main() {
	etcd := flag.String("etcd", "", "endpoint of etcd")
	name := flag.String("name", "", "name of the node")
	flag.Parse()
	if err := run(*etcd, *name); err != nil {
		log.Fatal("node: ", err)
	}
}

func run(etcd, name string) error {
	logger := slog.New(slog.NewJSONHandler(os.Stderr, nil))
	st, err := store.Open(store.Config{Endpoints: []string{etcd}, PlainSecrets: true, Logger: logger})
	if err != nil {
		return err
	}
	defer st.Close()
	api, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	status, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	addresses := map[string]string{"api": "http://" + api.Addr().String(), "status": "http://" + status.Addr().String()}
	if err := json.NewEncoder(os.Stdout).Encode(addresses); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	go func() {
		defer stop()
		if err := answer(os.Stdin, os.Stdout); err != nil {
			logger.Error("control ended", "error", err)
		}
	}()
	return proxy.New(proxy.Config{Store: st, NodeID: name, Drain: drain, Logger: logger}).Run(ctx, api, status)
}

// answer serves the control lines until they end.
func answer(in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		var f figures.Figures
		switch command, argument, _ := strings.Cut(lines.Text(), " "); command {
		case "figures":
			f = figures.Take()
		case "settle":
			f = figures.Settle()
		case "profile":
			if err := figures.Profile(argument); err != nil {
				return err
			}
			f = figures.Take()
		default:
			return fmt.Errorf("unknown command %q", lines.Text())
		}
		if err := json.NewEncoder(out).Encode(f); err != nil {
			return err
		}
	}
	return lines.Err()
}
