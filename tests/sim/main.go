package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"time"
)

// rarely is how much garbage a simulation may leave before it is collected, in percent of what is held: little is.
const rarely = 400

func main() {
	log.SetFlags(0)
	debug.SetGCPercent(rarely)
	p := plan{}
	flag.Func("scenarios", "ids, comma-separated (default all)", list(&p.scenarios, asIs))
	flag.Func("policies", "names, comma-separated (default all without ablations)", list(&p.policies, asIs))
	flag.Func("nodes", "sizes of the fleet, comma-separated (default 10, and 1 to 1000 where size is the question)", list(&p.nodes, strconv.Atoi))
	flag.IntVar(&p.seeds, "seeds", 5, "how many seeds")
	flag.DurationVar(&p.every, "every", time.Second, "time between two values that a node publishes")
	flag.StringVar(&p.out, "out", "", "folder for the plots (default none)")
	flag.Parse()
	missed, err := p.run(os.Stdout)
	if err != nil {
		log.Fatal("sim: ", err)
	}
	if missed > 0 {
		log.Fatalf("sim: %d gates missed", missed)
	}
}

func asIs(s string) (string, error) { return s, nil }

// list parses a flag of several values.
func list[T any](into *[]T, parse func(string) (T, error)) func(string) error {
	return func(value string) error {
		for _, part := range strings.Split(value, ",") {
			v, err := parse(strings.TrimSpace(part))
			if err != nil {
				return fmt.Errorf("%q: %w", part, err)
			}
			*into = append(*into, v)
		}
		return nil
	}
}
