package messages

import (
	"strings"

	"github.com/sluice-gateway/sluice/proxy/conversation"
	"github.com/sluice-gateway/sluice/proxy/conversation/wire"
)

// maxUser is the vendor's limit of characters for a user's id, maxToolName that for a tool's name.
const (
	maxUser     = 256
	maxToolName = 128
)

// body is a request that is being written.
type body struct {
	wire.Writer
	conversation.Losses
	r         *conversation.Request
	version   version
	maxTokens int64
	thought   thought
}

// EncodeRequest implements conversation.Codec.
func (c *Codec) EncodeRequest(r *conversation.Request, model string) ([]byte, []string, error) {
	b := body{r: r, version: versionOf(model), maxTokens: r.MaxTokens}
	if b.maxTokens == 0 {
		b.maxTokens = b.version.maxTokens()
	}
	b.Buf = make([]byte, 0, r.Size())
	b.Object()
	b.Name("model").String(model)
	b.Name("max_tokens").Int(b.maxTokens)
	b.system()
	b.messages()
	b.tools()
	b.reason()
	b.sampling()
	b.outputConfig()
	b.rest()
	b.EndObject()
	if b.Err != nil {
		return nil, nil, b.Err
	}
	return b.Buf, b.Dropped, nil
}

// system writes one block a part, without those that hold nothing but white space: the vendor refuses them.
func (b *body) system() {
	start := len(b.Buf)
	b.Name("system").Array()
	empty := len(b.Buf)
	for i := range b.r.System {
		if p := &b.r.System[i]; !blank(p.Text) {
			b.text(p)
		}
	}
	if len(b.Buf) == empty {
		b.Buf = b.Buf[:start]
		return
	}
	b.EndArray()
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }

// sampling writes the settings that this vendor has, within its ranges; those that newer models refuse are dropped.
func (b *body) sampling() {
	r := b.r
	b.stop()
	free := b.version < unsampled && !b.thought.on
	switch {
	case r.Temperature == nil:
	case !free:
		b.Drop(r.Names.Temperature)
	default:
		b.Name("temperature").Float(min(*r.Temperature, 1))
	}
	switch {
	case r.TopP == nil:
	case !free || r.Temperature != nil: // models refuse both together
		b.Drop(r.Names.TopP)
	default:
		b.Name("top_p").Float(*r.TopP)
	}
	switch {
	case r.TopK == nil:
	case !free:
		b.Drop(r.Names.TopK)
	default:
		b.Name("top_k").Int(*r.TopK)
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

// stop writes the stop texts, without those of nothing but white space: the vendor refuses them.
func (b *body) stop() {
	open := false
	for _, s := range b.r.Stop {
		if blank(s) {
			b.Drop(b.r.Names.Stop)
			continue
		}
		if !open {
			b.Name("stop_sequences").Array()
			open = true
		}
		b.String(s)
	}
	if open {
		b.EndArray()
	}
}

func (b *body) outputConfig() {
	f := &b.r.Format
	if f.Kind == conversation.FormatObject {
		b.Fail(b.r.Names.Format, "cannot be json_object for this target: it follows a json_schema only")
	}
	if f.Kind != conversation.FormatSchema && b.thought.effort == "" {
		return
	}
	b.Name("output_config").Object()
	if b.thought.effort != "" {
		b.Name("effort").String(b.thought.effort)
	}
	if f.Kind == conversation.FormatSchema {
		b.Name("format").Object()
		b.Name("type").String("json_schema")
		b.Name("schema").Raw(string(f.Schema))
		b.EndObject()
	}
	b.EndObject()
}

func (b *body) rest() {
	r := b.r
	switch {
	case len(r.User) > maxUser:
		b.Drop(r.Names.User)
	case r.User != "":
		b.Name("metadata").Object()
		b.Name("user_id").String(r.User)
		b.EndObject()
	}
	if r.Stream {
		b.Name("stream").Bool(true)
	}
}
