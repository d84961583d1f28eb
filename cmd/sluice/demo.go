package main

import (
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"github.com/sluice-gateway/sluice/cmd/demo"
)

const demoListen = ":9100"

// healthLimit is shorter than the timeouts that container runtimes give a health check.
const healthLimit = 2 * time.Second

func demoCommand() *cobra.Command {
	var listen string
	var cfg demo.Config
	c := &cobra.Command{
		Use:   "demo-upstream",
		Short: "Run an OpenAI-compatible upstream that says what it was told, at a set pace.",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			l, err := net.Listen("tcp", listen)
			if err != nil {
				return err
			}
			_, _ = fmt.Fprintf(c.ErrOrStderr(), "%s serves http://%s/v1\n", cfg.Name, l.Addr())
			return demo.New(cfg).Serve(c.Context(), l)
		},
	}
	c.Flags().StringVar(&listen, "listen", demoListen, "address to serve on")
	c.Flags().StringVar(&cfg.Name, "name", "demo", "the one model that is served; requests for any other are refused")
	c.Flags().DurationVar(&cfg.FirstToken, "first-token", 40*time.Millisecond, "time to the first word of an answer")
	c.Flags().DurationVar(&cfg.PerToken, "per-token", 5*time.Millisecond, "time from one word to the next")
	c.AddCommand(demoHealthCommand())
	return c
}

func demoHealthCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "health [URL]",
		Short: "Exit 0 if the upstream answers, for container health checks.",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			url := "http://127.0.0.1" + demoListen + "/healthz"
			if len(args) > 0 {
				url = args[0]
			}
			req, err := http.NewRequestWithContext(c.Context(), http.MethodGet, url, nil)
			if err != nil {
				return err
			}
			resp, err := (&http.Client{Timeout: healthLimit}).Do(req)
			if err != nil {
				return err
			}
			defer resp.Body.Close()
			if resp.StatusCode != http.StatusOK {
				return fmt.Errorf("%s answered %s", url, resp.Status)
			}
			return nil
		},
	}
}
