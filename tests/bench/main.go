// Command bench measures what Sluice's proxy node costs beside the standard library's reverse proxy.
//
// The mock upstream, the plain proxy, the etcd with the admin service and the Sluice node are processes of their own,
// and this one is the load generator, so that the CPU time and memory of each proxy are its own. Rounds alternate
// between the two proxies under the same load; each figure is the median over the rounds.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"regexp"
	"syscall"
	"time"
)

func main() {
	log.SetFlags(0)
	if name := os.Getenv(roleVariable); name != "" {
		if err := role(name, os.Args[1:]); err != nil {
			log.Fatalf("bench %s: %v", name, err)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	only := flag.String("run", "", "regular expression that picks workloads by name")
	flag.Parse()
	wanted, err := regexp.Compile(*only)
	if err != nil {
		log.Fatal("bench: ", err)
	}
	if err := run(ctx, fullSize, wanted, os.Stdout); err != nil {
		log.Fatal("bench: ", err)
	}
}

// run measures the wanted workloads and reports.
func run(ctx context.Context, s size, wanted *regexp.Regexp, out io.Writer) error {
	began := time.Now()
	st, err := newStage(ctx)
	if err != nil {
		return err
	}
	defer st.close()
	outcomes, err := compareAll(ctx, workloads(s, callerKey), wanted, st.contenders)
	if err != nil {
		return err
	}
	peak, err := st.peakMemory()
	if err != nil {
		return err
	}
	if err := report(out, st.contenders, outcomes, peak); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "\nmeasured in %v\n", time.Since(began).Round(time.Second))
	return err
}

// compareAll runs the wanted workloads; an open loop takes its rate from the wanted one before it.
func compareAll(ctx context.Context, all []workload, wanted *regexp.Regexp, contenders []contender) (out []outcome, err error) {
	for _, w := range all {
		if !wanted.MatchString(w.name) {
			continue
		}
		if w.share > 0 {
			if len(out) == 0 {
				return nil, fmt.Errorf("%s takes its rate from a closed loop: pick one too", w.name)
			}
			w.plan.Rate = w.share * slowest(out[len(out)-1])
		}
		o, err := compare(ctx, w, contenders)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", w.name, err)
		}
		out = append(out, o)
	}
	return out, nil
}

// slowest returns the rate of the slower contender, so that an open loop overloads neither.
func slowest(o outcome) float64 {
	s := o.summarize(func(r round) float64 { return r.load.Rate() })
	return min(s.base, s.other)
}
