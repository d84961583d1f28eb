package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// defaultCallers keeps a machine of a few cores at its limit although some wait for stalls at any time.
const defaultCallers = 160

// warmUp is long enough for every pool and table to reach its size.
const warmUp = 10 * time.Second

func main() {
	log.SetFlags(0)
	length := flag.Duration("for", 10*time.Minute, "how long to soak")
	seed := flag.Uint64("seed", rand.Uint64(), "seed of faults, requests and changes")
	callers := flag.Int("clients", defaultCallers, "how many clients ask at one time")
	streams := flag.Int("idle-streams", 0, "measure what a node holds for this many idle streams instead")
	profile := flag.String("profile", "", "with -idle-streams: folder for the node's profiles while they are open, and after")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var err error
	if *streams > 0 {
		err = idleStreams(ctx, *streams, *profile, os.Stdout)
	} else {
		err = soakProcesses(ctx, plan{length: *length, warmUp: min(warmUp, *length), seed: *seed, callers: *callers})
	}
	if err != nil {
		log.Fatal("soak: ", err)
	}
}

// soakProcesses soaks nodes in processes of their own and reports. Their logs stay when something was wrong.
func soakProcesses(ctx context.Context, p plan) error {
	dir, err := workDir()
	if err != nil {
		return err
	}
	start, err := separate(ctx, dir)
	if err != nil {
		return err
	}
	s, err := run(ctx, dir, p, start, os.Stdout)
	if err != nil {
		return fmt.Errorf("%w (logs in %s)", err, dir)
	}
	s.report()
	if err := s.verdict(); err != nil {
		return fmt.Errorf("%w (logs in %s)", err, dir)
	}
	return os.RemoveAll(dir)
}
