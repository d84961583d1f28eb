package responses

import (
	"strings"

	"github.com/sluice-gateway/sluice/proxy/conversation"
	"github.com/sluice-gateway/sluice/proxy/conversation/wire"
)

// maxUser is OpenAI's limit of characters for a user's id, minTokens its least bound on an answer.
const (
	maxUser   = 64
	minTokens = 16
)

// body is a request that is being written.
type body struct {
	wire.Writer
	conversation.Losses
	r *conversation.Request
}

// EncodeRequest implements conversation.Codec. The response is not to be stored: nobody could ask for it.
func (c *Codec) EncodeRequest(r *conversation.Request, model string) ([]byte, []string, error) {
	b := body{r: r}
	b.Buf = make([]byte, 0, r.Size())
	b.Object()
	b.Name("model").String(model)
	b.system()
	b.input()
	b.tools()
	b.sampling()
	b.text()
	b.rest()
	b.Name("store").Bool(false)
	b.EndObject()
	if b.Err != nil {
		return nil, nil, b.Err
	}
	return b.Buf, b.Dropped, nil
}

// system writes all instructions as one text.
func (b *body) system() {
	var texts []string
	for _, p := range b.r.System {
		if strings.TrimSpace(p.Text) != "" {
			texts = append(texts, p.Text)
		}
	}
	if len(texts) > 0 {
		b.Name("instructions").String(strings.Join(texts, "\n\n"))
	}
}

// sampling writes the settings that this dialect has. Stop texts bind the answer, so that they cannot be dropped.
func (b *body) sampling() {
	r := b.r
	if len(r.Stop) > 0 {
		b.Fail(r.Names.Stop, "cannot be given for this target: its dialect has no stop texts")
	}
	if r.MaxTokens > 0 {
		b.Name("max_output_tokens").Int(max(r.MaxTokens, minTokens))
	}
	if r.Temperature != nil {
		b.Name("temperature").Float(*r.Temperature)
	}
	if r.TopP != nil {
		b.Name("top_p").Float(*r.TopP)
	}
	if r.TopK != nil {
		b.Drop(r.Names.TopK)
	}
	if r.FrequencyPenalty != nil {
		b.Drop(r.Names.FrequencyPenalty)
	}
	if r.PresencePenalty != nil {
		b.Drop(r.Names.PresencePenalty)
	}
	if r.Seed != nil {
		b.Drop(r.Names.Seed)
	}
}

func (b *body) text() {
	if b.r.Format.Kind == conversation.FormatText {
		return
	}
	b.Name("text").Object()
	writeFormat(b.Name("format"), &b.r.Format)
	b.EndObject()
}

// writeFormat writes the form of an answer. A schema must have a name here.
func writeFormat(w *wire.Writer, f *conversation.Format) {
	w.Object()
	switch f.Kind {
	case conversation.FormatText:
		w.Name("type").String("text")
	case conversation.FormatObject:
		w.Name("type").String("json_object")
	case conversation.FormatSchema:
		w.Name("type").String("json_schema")
		name := f.Name
		if name == "" {
			name = "answer"
		}
		w.Name("name").String(name)
		if f.Description != "" {
			w.Name("description").String(f.Description)
		}
		w.Name("schema").Raw(string(f.Schema))
		w.Name("strict").Bool(f.Strict)
	}
	w.EndObject()
}

func (b *body) rest() {
	r := b.r
	if level := r.Reasoning.Level(); level != "" {
		b.Name("reasoning").Object()
		b.Name("effort").String(level)
		b.EndObject()
	}
	switch {
	case len(r.User) > maxUser:
		b.Drop(r.Names.User)
	case r.User != "":
		b.Name("user").String(r.User)
	}
	if r.Stream {
		b.Name("stream").Bool(true)
	}
}
