package responses

import (
	"github.com/sluice-gateway/sluice/proxy/conversation"
	"github.com/sluice-gateway/sluice/proxy/conversation/wire"
)

// reading is a request that is being read.
type reading struct {
	wire.Reader
	out *conversation.Request
	// instructions are those of the member of that name; oldUser is of the deprecated user.
	instructions []conversation.Part
	oldUser      string
}

// DecodeRequest implements conversation.Codec.
func (c *Codec) DecodeRequest(body []byte) (*conversation.Request, []string, error) {
	r := reading{out: &conversation.Request{Names: &names}}
	r.Open(body)
	defer r.Close()
	for name := range r.Members {
		if !r.conversation(string(name)) && !r.sampling(string(name)) && !r.stateful(string(name)) && !r.unsayable(string(name)) {
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
	case "input":
		r.input()
	case "instructions":
		r.instructions = []conversation.Part{{Kind: conversation.Text, Text: r.String(), At: instructionsAt}}
	case "tools":
		r.tools()
	case "tool_choice":
		r.toolChoice()
	case "parallel_tool_calls":
		r.out.OneTool = !r.Bool()
	case "text":
		r.text()
	case "stream":
		r.out.Stream = r.Bool()
	default:
		return false
	}
	return true
}

// instructionsAt is the place of the part of System that is the member instructions, which answers repeat.
const instructionsAt = -1

// sampling reads how the answer is to be made, and reports whether it was that.
func (r *reading) sampling(name string) bool {
	switch name {
	case "max_output_tokens":
		r.out.MaxTokens = r.Positive()
	case "temperature":
		r.out.Temperature = new(r.Float())
	case "top_p":
		r.out.TopP = new(r.Float())
	case "reasoning":
		r.reasoning()
	case "safety_identifier":
		r.out.User = r.String()
	case "user":
		r.oldUser = r.String()
	default:
		return false
	}
	return true
}

// stateful refuses what needs a response that is stored, or that goes on without its caller, and reports whether the
// member was read. That nothing is to be stored is no loss, and neither that the input is to be taken whole.
func (r *reading) stateful(name string) bool {
	switch name {
	case "previous_response_id", "conversation", "prompt":
		r.Fail("cannot be given where the request is translated: nothing is stored, so that the input must hold the whole conversation")
	case "background":
		if r.Bool() {
			r.Fail("cannot be true where the request is translated: nothing is stored that could be asked for later")
		}
	case "store":
		if r.Bool() {
			r.Lost()
		}
	case "truncation":
		if string(r.Text()) != "disabled" {
			r.Lost()
		}
	case "stream_options":
		r.streamOptions()
	default:
		return false
	}
	return true
}

func (r *reading) streamOptions() {
	for name := range r.Members {
		if string(name) == "include_obfuscation" && r.Kind() == 'f' {
			r.Skip() // no event is obfuscated
			continue
		}
		r.Drop()
	}
}

// unsayable refuses what no other dialect can answer and the caller would miss, and reports whether it was read.
func (r *reading) unsayable(name string) bool {
	switch name {
	case "include":
		r.include()
	case "top_logprobs":
		if r.Int() != 0 {
			r.Fail("must be 0 where the request is translated: other dialects tell no probabilities")
		}
	default:
		return false
	}
	return true
}

// include reads what is to be put into the answer besides.
func (r *reading) include() {
	for range r.Elements {
		switch string(r.Text()) {
		case "reasoning.encrypted_content":
			r.out.Reasoning.Show = true
		case "message.output_text.logprobs":
			r.Fail("cannot be asked for where the request is translated: other dialects tell no probabilities")
		default:
			r.Lost()
		}
	}
}

func (r *reading) reasoning() {
	for name := range r.Members {
		switch string(name) {
		case "effort":
			r.effort()
		case "summary", "generate_summary":
			r.Text()
			r.out.Reasoning.Show = true
		default:
			r.Drop()
		}
	}
}

func (r *reading) effort() {
	effort := r.String()
	switch effort {
	case "none", "minimal", "low", "medium", "high", "xhigh", "max":
		r.out.Reasoning.Set, r.out.Reasoning.Effort = true, effort
	default:
		r.Fail("must be none, minimal, low, medium, high, xhigh or max")
	}
}

// text reads the form of the answer.
func (r *reading) text() {
	for name := range r.Members {
		if string(name) == "format" {
			r.format()
			continue
		}
		r.Drop()
	}
}

func (r *reading) format() {
	f := conversation.Format{}
	for name := range r.Members {
		switch string(name) {
		case "type":
			f.Kind = r.formatKind()
		case "name":
			f.Name = r.String()
		case "description":
			f.Description = r.String()
		case "schema":
			f.Schema = append([]byte(nil), r.Object()...)
		case "strict":
			f.Strict = r.Bool()
		default:
			r.Drop()
		}
	}
	if f.Kind != conversation.FormatSchema {
		f = conversation.Format{Kind: f.Kind}
	} else if f.Schema == nil {
		r.FailAt("text.format.schema", "must be given for a format of type json_schema")
	}
	r.out.Format = f
}

func (r *reading) formatKind() conversation.FormatKind {
	switch string(r.Text()) {
	case "text":
		return conversation.FormatText
	case "json_object":
		return conversation.FormatObject
	case "json_schema":
		return conversation.FormatSchema
	}
	r.Fail("must be text, json_object or json_schema")
	return 0
}

// settle puts in what depends on more than one member.
func (r *reading) settle() {
	out := r.out
	out.System = append(r.instructions, out.System...)
	if out.User == "" {
		out.User = r.oldUser
	}
	out.StreamUsage = out.Stream // every stream of this dialect has it
	if len(out.Messages) == 0 && len(out.System) == 0 {
		r.FailAt("input", "must hold at least one item")
	}
}
