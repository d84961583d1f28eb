package chat

import (
	"github.com/sluice-gateway/sluice/proxy/conversation"
	"github.com/sluice-gateway/sluice/proxy/conversation/wire"
)

// reading is a request that is being read.
type reading struct {
	wire.Reader
	out *conversation.Request
	// oldMaxTokens is of the deprecated max_tokens, oldUser of the deprecated user.
	oldMaxTokens int64
	oldUser      string
	tools        bool
	// functionID is the id that was made for the last function_call, which has none.
	functionID string
}

// DecodeRequest implements conversation.Codec.
func (c *Codec) DecodeRequest(body []byte) (*conversation.Request, []string, error) {
	r := reading{out: &conversation.Request{Names: &names}}
	r.Open(body)
	defer r.Close()
	for name := range r.Members {
		if !r.conversation(string(name)) && !r.sampling(string(name)) && !r.unsayable(string(name)) {
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
	case "messages":
		r.messages()
	case "tools":
		r.readTools()
	case "tool_choice":
		r.toolChoice()
	case "parallel_tool_calls":
		r.out.OneTool = !r.Bool()
	case "functions":
		r.functions()
	case "function_call":
		r.functionChoice()
	case "response_format":
		r.format()
	case "stream":
		r.out.Stream = r.Bool()
	case "stream_options":
		r.streamOptions()
	default:
		return false
	}
	return true
}

// sampling reads how the answer is to be made, and reports whether it was that.
func (r *reading) sampling(name string) bool {
	switch name {
	case "max_completion_tokens":
		r.out.MaxTokens = r.Positive()
	case "max_tokens":
		r.oldMaxTokens = r.Positive()
	case "stop":
		r.stop()
	case "temperature":
		r.out.Temperature = new(r.Float())
	case "top_p":
		r.out.TopP = new(r.Float())
	case "top_k":
		r.out.TopK = new(r.Int())
	case "frequency_penalty":
		r.out.FrequencyPenalty = new(r.Float())
	case "presence_penalty":
		r.out.PresencePenalty = new(r.Float())
	case "seed":
		r.out.Seed = new(r.Int())
	case "reasoning_effort":
		r.effort()
	case "safety_identifier":
		r.out.User = r.String()
	case "user":
		r.oldUser = r.String()
	default:
		return false
	}
	return true
}

// unsayable refuses what no other dialect can answer and the caller would miss, and reports whether it was read.
func (r *reading) unsayable(name string) bool {
	switch name {
	case "n":
		if r.Int() != 1 {
			r.Fail("must be 1 where the request is translated: other dialects give one answer")
		}
	case "logprobs":
		if r.Bool() {
			r.Fail("cannot be true where the request is translated: other dialects tell no probabilities")
		}
	case "top_logprobs":
		if r.Int() != 0 {
			r.Fail("must be 0 where the request is translated: other dialects tell no probabilities")
		}
	case "modalities":
		for range r.Elements {
			if string(r.Text()) != "text" {
				r.Fail("must be \"text\" where the request is translated: other dialects answer in text only")
			}
		}
	case "web_search_options":
		r.Fail("cannot be given where the request is translated: the target has no web search of this kind")
	default:
		return false
	}
	return true
}

func (r *reading) stop() {
	r.out.Stop = nil
	if r.Kind() == '"' {
		r.out.Stop = []string{r.String()}
		return
	}
	if r.Kind() != '[' {
		r.Fail("must be a string or an array of strings")
		return
	}
	for range r.Elements {
		r.out.Stop = append(r.out.Stop, r.String())
	}
}

func (r *reading) effort() {
	effort := r.String()
	switch effort {
	case "none", "minimal", "low", "medium", "high", "xhigh", "max":
		r.out.Reasoning = conversation.Reasoning{Set: true, Effort: effort}
	default:
		r.Fail("must be none, minimal, low, medium, high, xhigh or max")
	}
}

func (r *reading) streamOptions() {
	for name := range r.Members {
		if string(name) == "include_usage" {
			r.out.StreamUsage = r.Bool()
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
		case "json_schema":
			r.schema(&f)
		default:
			r.Drop()
		}
	}
	if f.Kind == conversation.FormatSchema && f.Schema == nil {
		r.FailAt("response_format.json_schema.schema", "must be given for a response_format of type json_schema")
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

func (r *reading) schema(f *conversation.Format) {
	for name := range r.Members {
		switch string(name) {
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
}

// settle puts in what depends on more than one member.
func (r *reading) settle() {
	out := r.out
	if out.MaxTokens == 0 {
		out.MaxTokens = r.oldMaxTokens
	}
	if out.User == "" {
		out.User = r.oldUser
	}
	if out.Functions {
		out.OneTool = true
		if r.tools {
			r.FailAt("functions", "cannot stand beside tools")
		}
	}
	if len(out.Messages) == 0 && len(out.System) == 0 {
		r.FailAt("messages", "must hold at least one message")
	}
}
