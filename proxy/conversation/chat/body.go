package chat

import (
	"strings"

	"github.com/sluice-gateway/sluice/proxy/conversation"
	"github.com/sluice-gateway/sluice/proxy/conversation/wire"
)

// maxStop and maxUser are OpenAI's limits: stop texts in a request, and characters of a user's id.
const (
	maxStop = 4
	maxUser = 64
)

// body is a request that is being written.
type body struct {
	wire.Writer
	conversation.Losses
	r *conversation.Request
}

// EncodeRequest implements conversation.Codec.
func (c *Codec) EncodeRequest(r *conversation.Request, model string) ([]byte, []string, error) {
	b := body{r: r}
	b.Buf = make([]byte, 0, r.Size())
	b.Object()
	b.Name("model").String(model)
	b.messages()
	b.tools()
	b.sampling()
	b.format()
	b.rest()
	b.EndObject()
	if b.Err != nil {
		return nil, nil, b.Err
	}
	return b.Buf, b.Dropped, nil
}

func (b *body) sampling() {
	r := b.r
	if r.MaxTokens > 0 {
		b.Name("max_completion_tokens").Int(r.MaxTokens)
	}
	if len(r.Stop) > maxStop {
		b.Fail(r.Names.Stop, "can hold 4 texts at most for this target")
	}
	if len(r.Stop) > 0 {
		b.Name("stop").Array()
		for _, s := range r.Stop {
			b.String(s)
		}
		b.EndArray()
	}
	b.float("temperature", r.Temperature)
	b.float("top_p", r.TopP)
	b.float("frequency_penalty", r.FrequencyPenalty)
	b.float("presence_penalty", r.PresencePenalty)
	if r.Seed != nil {
		b.Name("seed").Int(*r.Seed)
	}
	if r.TopK != nil {
		b.Drop(r.Names.TopK)
	}
}

func (b *body) float(name string, f *float64) {
	if f != nil {
		b.Name(name).Float(*f)
	}
}

func (b *body) format() {
	f := &b.r.Format
	switch f.Kind {
	case conversation.FormatObject:
		b.Name("response_format").Raw(`{"type":"json_object"}`)
	case conversation.FormatSchema:
		b.Name("response_format").Object()
		b.Name("type").String("json_schema")
		b.Name("json_schema").Object()
		name := f.Name
		if name == "" {
			name = "answer" // which must have one here
		}
		b.Name("name").String(name)
		if f.Description != "" {
			b.Name("description").String(f.Description)
		}
		b.Name("schema").Raw(string(f.Schema))
		if f.Strict {
			b.Name("strict").Bool(true)
		}
		b.EndObject()
		b.EndObject()
	}
}

func (b *body) rest() {
	r := b.r
	if level := r.Reasoning.Level(); level != "" {
		b.Name("reasoning_effort").String(level)
	}
	switch {
	case len(r.User) > maxUser:
		b.Drop(r.Names.User)
	case r.User != "":
		b.Name("user").String(r.User)
	}
	if r.Stream {
		b.Name("stream").Bool(true)
		if r.StreamUsage {
			b.Name("stream_options").Raw(`{"include_usage":true}`)
		}
	}
}

func (b *body) messages() {
	b.Name("messages").Array()
	empty := len(b.Buf)
	b.system()
	turns := b.r.Messages
	for i := 0; i < len(turns); {
		if turns[i].Role == conversation.Assistant {
			b.assistant(&turns[i])
			i++
			continue
		}
		end := i + 1
		for end < len(turns) && (turns[end].Role == conversation.User || silent(&turns[end])) {
			end++
		}
		b.user(turns[i:end])
		i = end
	}
	if len(b.Buf) == empty {
		b.Fail(b.r.Names.Messages, "must hold a message that says something")
	}
	b.EndArray()
	last := len(turns) - 1
	for last >= 0 && turns[last].Role == conversation.Assistant && silent(&turns[last]) {
		last--
	}
	if last >= 0 && turns[last].Role == conversation.Assistant {
		b.Fail(b.r.Names.Message(&turns[last]), "cannot be the assistant's as the last turn: this target does not go on with an answer that has begun")
	}
}

// system writes all instructions as one message, for many compatible servers take no more.
func (b *body) system() {
	var texts []string
	for _, p := range b.r.System {
		if strings.TrimSpace(p.Text) != "" {
			texts = append(texts, p.Text)
		}
	}
	if len(texts) == 0 {
		return
	}
	b.Object()
	b.Name("role").String("system")
	b.Name("content").String(strings.Join(texts, "\n\n"))
	b.EndObject()
}
