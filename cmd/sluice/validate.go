package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/sluice-gateway/sluice/cmd/bundle"
	"github.com/sluice-gateway/sluice/schemas"
)

func validateCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "validate FILE...",
		Short: "Check resource files against their schemas and each other.",
		Long: `Check resource files, YAML or JSON, as the admin service would: each resource against its schema, and all
of them together as one configuration, so that a reference to what no file holds is a fault. A file holds any of the
lists providers, models, profiles, routings and api_keys.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, files []string) error {
			set, err := schemas.Load()
			if err != nil {
				return err
			}
			var entries []bundle.Entry
			for _, name := range files {
				read, err := readFile(name)
				if err != nil {
					return fmt.Errorf("%s: %w", name, err)
				}
				entries = append(entries, read...)
			}
			faults := bundle.Check(set, entries)
			for _, f := range faults {
				fmt.Fprintln(c.OutOrStdout(), f.Error())
			}
			if len(faults) > 0 {
				return fmt.Errorf("%d faults in %d resources", len(faults), len(entries))
			}
			_, err = fmt.Fprintf(c.OutOrStdout(), "%d resources are valid\n", len(entries))
			return err
		},
	}
}

func readFile(name string) ([]bundle.Entry, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return bundle.Read(f)
}
