// Command sluice is the tool of people who run or try Sluice: a whole gateway in one process, a demo upstream, a
// check of resource files before they are applied, and a look at a gateway that runs.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
	_ "golang.org/x/crypto/x509roots/fallback" // TLS roots for images without any
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal kills
	if err := root().ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "sluice:", err)
		os.Exit(exitCode(err))
	}
}

func exitCode(err error) int {
	if own := (exitError{}); errors.As(err, &own) {
		return own.code
	}
	return 1
}

func root() *cobra.Command {
	c := &cobra.Command{
		Use:           "sluice",
		Short:         "Sluice is an LLM gateway whose nodes learn as one.",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	c.AddCommand(devCommand(), demoCommand(), validateCommand(), fleetCommand(), explainCommand(), doctorCommand(), keysCommand(), versionCommand())
	return c
}
