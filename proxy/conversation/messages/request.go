package messages

import (
	"github.com/sluice-gateway/sluice/proxy/conversation"
	"github.com/sluice-gateway/sluice/proxy/conversation/wire"
)

// reading is a request that is being read.
type reading struct {
	wire.Reader
	out *conversation.Request
	// effort is of output_config; off: thinking is disabled.
	effort string
	off    bool
	// system is the prompt before the conversation; within: the reader is in the result of a tool.
	system []conversation.Part
	within bool
}

// DecodeRequest implements conversation.Codec.
func (c *Codec) DecodeRequest(body []byte) (*conversation.Request, []string, error) {
	r := reading{out: &conversation.Request{Names: &names}}
	r.Open(body)
	defer r.Close()
	for name := range r.Members {
		if !r.conversation(string(name)) && !r.sampling(string(name)) {
			r.Drop()
		}
	}
	r.settle()
	if err := r.End(); err != nil {
		return nil, nil, err
	}
	return r.out, r.Dropped(), nil
}

// conversation reads what is said and how the answer is to come, and reports whether it was that.
func (r *reading) conversation(name string) bool {
	switch name {
	case "model":
		r.out.Model = r.String()
	case "system":
		r.system = r.texts()
	case "messages":
		r.messages()
	case "tools":
		r.tools()
	case "tool_choice":
		r.toolChoice()
	case "thinking":
		r.thinking()
	case "output_config":
		r.outputConfig()
	case "output_format": // as it was called at first
		r.format()
	case "stream":
		r.out.Stream = r.Bool()
	default:
		return false
	}
	return true
}

// sampling reads how the answer is to be made, and reports whether it was that.
func (r *reading) sampling(name string) bool {
	switch name {
	case "max_tokens":
		r.out.MaxTokens = r.Positive()
	case "stop_sequences":
		r.out.Stop = nil
		for range r.Elements {
			r.out.Stop = append(r.out.Stop, r.String())
		}
	case "temperature":
		r.out.Temperature = new(r.Float())
	case "top_p":
		r.out.TopP = new(r.Float())
	case "top_k":
		r.out.TopK = new(r.Int())
	case "metadata":
		r.metadata()
	case "mcp_servers", "container":
		r.Fail("cannot be given where the request is translated: the target does not have it")
	default:
		return false
	}
	return true
}

func (r *reading) metadata() {
	for name := range r.Members {
		if string(name) == "user_id" {
			r.out.User = r.String()
			continue
		}
		r.Drop()
	}
}

func (r *reading) thinking() {
	kind, budget := "", int64(0)
	for name := range r.Members {
		switch string(name) {
		case "type":
			kind = r.String()
		case "budget_tokens":
			budget = r.Positive()
		default:
			r.Drop()
		}
	}
	switch kind {
	case "enabled":
		if budget == 0 {
			r.FailAt("thinking.budget_tokens", "must be given for thinking of type enabled")
		}
		r.out.Reasoning = conversation.Reasoning{Set: true, Budget: budget}
	case "adaptive":
		r.out.Reasoning = conversation.Reasoning{Set: true}
	case "disabled":
		r.off = true
	default:
		r.FailAt("thinking.type", "must be enabled, adaptive or disabled")
	}
}

func (r *reading) outputConfig() {
	for name := range r.Members {
		switch string(name) {
		case "effort":
			r.effort = r.String()
			switch r.effort {
			case "low", "medium", "high", "xhigh", "max":
			default:
				r.Fail("must be low, medium, high, xhigh or max")
			}
		case "format":
			r.format()
		default:
			r.Drop()
		}
	}
}

// format reads the schema that an answer must follow, which this vendor always enforces.
func (r *reading) format() {
	f := conversation.Format{Kind: conversation.FormatSchema, Strict: true}
	for name := range r.Members {
		switch string(name) {
		case "type":
			if string(r.Text()) != "json_schema" {
				r.Fail("must be json_schema")
			}
		case "schema":
			f.Schema = append([]byte(nil), r.Object()...)
		default:
			r.Drop()
		}
	}
	if f.Schema == nil {
		r.Fail("must have a schema")
	}
	r.out.Format = f
}

// settle puts in what depends on more than one member. Thinking that is disabled is this dialect's default and says
// nothing: a target that knows no levels is not to refuse it.
func (r *reading) settle() {
	out := r.out
	out.System = append(r.system, out.System...)
	if r.effort != "" {
		if r.off {
			r.LostAt("output_config.effort")
		} else {
			out.Reasoning.Set, out.Reasoning.Effort = true, r.effort
		}
	}
	out.StreamUsage = out.Stream // every stream of this dialect has it
	if out.MaxTokens == 0 {
		r.FailAt("max_tokens", "must be given")
	}
	if len(out.Messages) == 0 {
		r.FailAt("messages", "must hold at least one message")
	}
}
