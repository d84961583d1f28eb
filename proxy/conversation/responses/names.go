package responses

import (
	"fmt"

	"github.com/sluice-gateway/sluice/proxy/conversation"
)

// names are the members of this dialect. It has no stop texts, no penalties and no seed.
var names = conversation.Names{
	Messages: "input", Stop: "stop", Temperature: "temperature", TopP: "top_p", TopK: "top_k",
	FrequencyPenalty: "frequency_penalty", PresencePenalty: "presence_penalty", Seed: "seed",
	Format: "text.format", Reasoning: "reasoning", User: "user",
	Part:    partName,
	Message: func(m *conversation.Message) string { return itemName(m.At) },
	Tool:    func(_ *conversation.Request, i int) string { return fmt.Sprintf("tools[%d]", i) },
}

// place says where a part of a turn stands: which item of the input holds it, and which part of the item's content it
// is. A turn of the model's is made of several items, so that its parts must say both. -1: the input, or the content, is
// a string.
func place(item, part int) int { return (item+1)<<placeBits | (part + 1) }

// placeBits are those of the part: more parts than that do not fit into a body.
const placeBits = 24

func itemName(item int) string {
	if item < 0 {
		return "input"
	}
	return fmt.Sprintf("input[%d]", item)
}

func partName(_ *conversation.Message, p *conversation.Part) string {
	item, part := p.At>>placeBits-1, p.At&(1<<placeBits-1)-1
	name := itemName(item)
	switch p.Kind {
	case conversation.ToolCall, conversation.ToolResult, conversation.Thinking:
		return name
	}
	switch {
	case item < 0:
		return name
	case part < 0:
		return name + ".content"
	}
	return fmt.Sprintf("%s.content[%d]", name, part)
}
