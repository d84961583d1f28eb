package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/sluice-gateway/sluice/cmd/control"
	"github.com/sluice-gateway/sluice/cmd/show"
	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/decision"
)

// explaining is what `sluice explain` is asked for.
type explaining struct {
	who                    access
	request, node, output  string
	routing, profile, body string // files
	targets, capabilities  []string
	facts                  decision.Facts
}

func explainCommand() *cobra.Command {
	var x explaining
	c := &cobra.Command{
		Use:   "explain [MODEL]",
		Short: "Explain what a request would be sent to and why, or what a served one was.",
		Long: `Explain what would be tried for a request to a model or routing, in which order and why. A live node answers, which sends nothing
to any target and changes nothing; only for a semantic routing it has the prompt embedded. The request is told by flags or is
the body of a chat completion (--body). --routing, or --profile with --target, asks about what is not stored.

With --request, explain the decision about a request that was served, by the x-request-id of its answer: nodes remember their latest.

Exit codes: 0 explained; 1 the request is refused, the question is wrong or nobody remembers it; 2 nobody could be asked.`,
		Example: `  sluice explain demo --stream
  sluice explain assistant --prompt "translate this into French"
  sluice explain --routing draft.json --capability vision
  sluice explain --request 3f0c8a1e5b7d49f2`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return x.run(c, args) },
	}
	x.flags(c)
	return c
}

func (x *explaining) flags(c *cobra.Command) {
	x.who.flags(c)
	f := c.Flags()
	f.StringVar(&x.request, "request", "", "explain the request of this id, which was served")
	f.StringVar(&x.node, "node", "", "ask this node; without it, any, or all for --request")
	f.StringVarP(&x.output, "output", "o", "table", "table, or json as the admin service writes it")
	f.StringVar(&x.routing, "routing", "", "file with the JSON of a routing to explain, stored or not; - is the standard input")
	f.StringVar(&x.profile, "profile", "", "file with the JSON of a profile by which to score the targets; - is the standard input")
	f.StringArrayVar(&x.targets, "target", nil, "model or routing to score; with --profile, may be repeated")
	f.StringVar(&x.body, "body", "", "file with the body of a chat completion; - is the standard input")
	f.StringVar(&x.facts.Prompt, "prompt", "", "prompt, for semantic routings")
	f.BoolVar(&x.facts.Stream, "stream", false, "the answer is to be a stream")
	f.IntVar(&x.facts.InputTokens, "input-tokens", 0, "tokens of the request, for estimates of cost and context windows")
	f.IntVar(&x.facts.MaxTokens, "max-tokens", 0, "most tokens of the answer, likewise")
	f.StringArrayVar(&x.capabilities, "capability", nil, "what a target must be capable of, such as vision; may be repeated")
	f.StringArrayVar(&x.facts.Tags, "tag", nil, "tag of x-sluice-tags; may be repeated")
	f.StringVar(&x.facts.Hash, "hash", "", "value at the place of hash_on")
	f.StringVar(&x.facts.Session, "session", "", "value at the place of sticky_on")
}

func (x *explaining) run(c *cobra.Command, args []string) error {
	if x.output != "table" && x.output != "json" {
		return fmt.Errorf("--output must be table or json, not %q", x.output)
	}
	if (x.request != "") == (len(args) > 0 || x.routing != "" || x.profile != "") {
		return errors.New("name a model or routing, give one by --routing or --profile, or name a request by --request")
	}
	client, err := x.who.client()
	if err != nil {
		return exitError{exitBlind, err}
	}
	defer client.Close()
	if x.request != "" {
		return x.served(c, client)
	}
	q, err := x.question(args, c.InOrStdin())
	if err != nil {
		return err
	}
	raw, e, err := client.Explain(c.Context(), x.node, q)
	if err != nil {
		return unexplained(err)
	}
	if err := x.print(c, raw, func(w io.Writer) error { return show.Explanation(w, e) }); err != nil {
		return err
	}
	if e.Refused != nil {
		return exitError{exitTrouble, fmt.Errorf("the request would be refused: %s", e.Refused.Message)}
	}
	return nil
}

func (x *explaining) served(c *cobra.Command, client *control.Client) error {
	raw, d, err := client.Decision(c.Context(), x.node, x.request)
	if err != nil {
		return unexplained(err)
	}
	return x.print(c, raw, func(w io.Writer) error { return show.Decision(w, d) })
}

func (x *explaining) print(c *cobra.Command, raw []byte, table func(io.Writer) error) error {
	if x.output == "json" {
		_, err := c.OutOrStdout().Write(raw)
		return err
	}
	return table(c.OutOrStdout())
}

// unexplained tells what the service refused from a service that could not be asked.
func unexplained(err error) error {
	refused := new(control.Refusal)
	if errors.As(err, &refused) {
		switch refused.Status {
		case 400, 403, 404, 413, 422:
			return exitError{exitTrouble, err}
		}
	}
	return exitError{exitBlind, err}
}

// question makes one of the flags.
func (x *explaining) question(args []string, in io.Reader) (*decision.Question, error) {
	q := &decision.Question{Facts: x.facts}
	if len(args) > 0 {
		q.Model = args[0]
	}
	for _, name := range x.capabilities {
		q.Facts.Capabilities = append(q.Facts.Capabilities, core.Capability(name))
	}
	for _, name := range x.targets {
		q.Targets = append(q.Targets, core.RoutingTarget{Model: name})
	}
	for _, part := range []struct {
		file string
		into any
	}{{x.routing, &q.Routing}, {x.profile, &q.Profile}, {x.body, &q.Request}} {
		if part.file == "" {
			continue
		}
		raw, err := content(part.file, in)
		if err != nil {
			return nil, err
		}
		d := json.NewDecoder(bytes.NewReader(raw))
		d.DisallowUnknownFields()
		if err := d.Decode(part.into); err != nil {
			return nil, fmt.Errorf("%s: %w", part.file, err)
		}
	}
	return q, nil
}

func content(name string, in io.Reader) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(in)
	}
	return os.ReadFile(name)
}
