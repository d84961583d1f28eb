package inspect

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/decision"
	"github.com/sluice-gateway/sluice/proxy/dispatch"
	"github.com/sluice-gateway/sluice/proxy/embed"
	"github.com/sluice-gateway/sluice/proxy/endpoint"
	"github.com/sluice-gateway/sluice/proxy/envelope"
	"github.com/sluice-gateway/sluice/proxy/live"
)

// supposed is the name of what the question brings and does not name.
const supposed = "inline"

// call makes the call that the question is about.
func (h *Handler) call(ctx context.Context, state *live.State, q *decision.Question) (dispatch.Call, []core.Fault) {
	if faults := q.Check(); len(faults) > 0 {
		return dispatch.Call{}, faults
	}
	group, examples, faults := h.group(ctx, state, q)
	if len(faults) > 0 {
		return dispatch.Call{}, faults
	}
	env, faults := body(q, group.ID)
	if len(faults) > 0 {
		return dispatch.Call{}, faults
	}
	return dispatch.Call{Endpoint: endpoint.Find(chat), Envelope: env, Group: group, Examples: examples, Revision: state.Revision, InputTokens: q.Facts.InputTokens}, nil
}

// chat is the endpoint whose bodies are asked about.
const chat = "chat/completions"

// group returns the group that the question is about, and the examples of the semantic ones in it.
func (h *Handler) group(ctx context.Context, state *live.State, q *decision.Question) (*core.Group, embed.Collections, []core.Fault) {
	if q.Model != "" {
		if g, known := state.Group(q.Model); known {
			return g, state.Examples, nil
		}
		return nil, embed.Collections{}, []core.Fault{decision.Wrong("/model", "reference", "no model or routing that this node serves is called "+strconv.Quote(q.Model))}
	}
	resources, places := inline(state.Document, q)
	snapshot, faults := h.cfg.Suppose(state, resources...)
	for i := range faults {
		if place, own := places[faults[i].Ref]; own {
			faults[i].Ref, faults[i].Pointer = core.Ref{}, place+faults[i].Pointer
		}
	}
	if len(faults) > 0 {
		return nil, embed.Collections{}, faults
	}
	g, served := snapshot.Group(resources[0].Ref().ID)
	if !served {
		return nil, embed.Collections{}, []core.Fault{decision.Wrong("/routing", "routing", "the routing cannot be served")}
	}
	if g.Embeddings == nil {
		return g, embed.Collections{}, nil
	}
	examples, err := h.examples(ctx, snapshot, g)
	if err != nil {
		return nil, examples, []core.Fault{decision.Wrong("/routing/semantic/embeddings", "embedding", "the examples cannot be embedded: "+err.Error())}
	}
	return g, examples, nil
}

// examples embeds those examples of a group that is not served of which the node has no vectors.
func (h *Handler) examples(ctx context.Context, s *core.Snapshot, g *core.Group) (embed.Collections, error) {
	all, err := embed.Collect(s)
	if all.Of(g) == nil && g.Semantic != nil {
		return all, err
	}
	return all, h.fill(ctx, all, g)
}

func (h *Handler) fill(ctx context.Context, all embed.Collections, g *core.Group) error {
	if c := all.Of(g); c != nil && c.Vectors() == nil {
		if err := h.cfg.Examples.Fill(ctx, c); err != nil {
			return err
		}
	}
	for i := range g.Members {
		if inner := g.Members[i].Group; inner != nil && inner.Embeddings != nil {
			if err := h.fill(ctx, all, inner); err != nil {
				return err
			}
		}
	}
	return nil
}

// inline returns the resources that the question brings, the routing first, and where in it they stand. What has no name
// gets one that is free.
func inline(doc *core.Document, q *decision.Question) ([]core.Resource, map[core.Ref]string) {
	if q.Routing != nil {
		r := *q.Routing
		if r.ID == "" {
			r.ID = free(doc)
		}
		return []core.Resource{&r}, map[core.Ref]string{r.Ref(): "/routing"}
	}
	p := *q.Profile
	if p.ID == "" {
		p.ID = free(doc)
	}
	r := &core.Routing{ID: free(doc), Strategy: core.StrategyScored, Targets: q.Targets, Profile: p.ID}
	return []core.Resource{r, &p}, map[core.Ref]string{r.Ref(): "", p.Ref(): "/profile"}
}

// free returns a name that nothing has.
func free(doc *core.Document) string {
	name := supposed
	for n := 2; ; n++ {
		_, model := doc.Models[name]
		_, routing := doc.Routings[name]
		_, profile := doc.Profiles[name]
		if !model && !routing && !profile {
			return name
		}
		name = fmt.Sprintf("%s-%d", supposed, n)
	}
}

// body returns the body of the question, or one that says what its facts say.
func body(q *decision.Question, model string) (*envelope.Envelope, []core.Fault) {
	if len(q.Request) == 0 {
		return told(&q.Facts, model)
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(q.Request, &members); err != nil || members == nil {
		return nil, []core.Fault{decision.Wrong("/request", "type", "request must be the JSON object of a chat completion")}
	}
	members["model"] = json.RawMessage(strconv.Quote(model)) // whatever it was
	raw, err := encode(members)
	if err != nil {
		return nil, []core.Fault{decision.Wrong("/request", "type", "request does not encode")}
	}
	env, err := envelope.Parse(raw, envelope.Chat)
	if bad := (*envelope.Error)(nil); errors.As(err, &bad) {
		pointer := "/request"
		if bad.Param != "" {
			pointer += "/" + bad.Param
		}
		return nil, []core.Fault{decision.Wrong(pointer, "request", bad.Message)}
	}
	return env, nil
}

// encode leaves markup as it is: tokens are estimated by the length of a body.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return b.Bytes(), err
}

// told makes a body of facts.
func told(f *decision.Facts, model string) (*envelope.Envelope, []core.Fault) {
	var faults []core.Fault
	var needs core.Capabilities
	for i, c := range f.Capabilities {
		if !needs.Add(c) {
			faults = append(faults, decision.Wrong("/facts/capabilities/"+strconv.Itoa(i), "enum", fmt.Sprintf("must be one of %q", core.AllCapabilities())))
		}
	}
	if len(faults) > 0 {
		return nil, faults
	}
	type message struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	raw, err := encode(struct {
		Model     string    `json:"model"`
		Stream    bool      `json:"stream,omitempty"`
		MaxTokens int       `json:"max_tokens,omitempty"`
		Messages  []message `json:"messages"`
	}{model, f.Stream, f.MaxTokens, []message{{"user", f.Prompt}}})
	if err != nil {
		return nil, []core.Fault{decision.Wrong("/facts", "type", "the facts do not encode")}
	}
	env, err := envelope.Parse(raw, envelope.Chat)
	if err != nil {
		return nil, []core.Fault{decision.Wrong("/facts", "facts", err.Error())}
	}
	env.Needs = needs
	return env, nil
}
