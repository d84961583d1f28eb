// Command bench measures what Sluice's proxy node costs beside the standard library's reverse proxy.
//
// The mock upstream, the plain proxy, the etcd with the admin service and the Sluice node are processes of their own,
// and this one is the load generator, so that the CPU time and memory of each proxy are its own. Rounds alternate
// between the two proxies under the same load; each figure is the median over the rounds.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
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
	if err := run(ctx, fullSize, os.Stdout); err != nil {
		log.Fatal("bench: ", err)
	}
}

// run measures and reports.
func run(ctx context.Context, s size, out io.Writer) error {
	began := time.Now()
	st, err := newStage(ctx)
	if err != nil {
		return err
	}
	defer st.close()
	var outcomes []outcome
	for _, w := range workloads(s, callerKey) {
		if w.share > 0 {
			w.plan.Rate = w.share * slowest(outcomes[len(outcomes)-1])
		}
		o, err := compare(ctx, w, st.contenders)
		if err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
		outcomes = append(outcomes, o)
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

// slowest returns the rate of the slower contender, so that an open loop overloads neither.
func slowest(o outcome) float64 {
	s := o.summarize(func(r round) float64 { return r.load.Rate() })
	return min(s.base, s.other)
}
