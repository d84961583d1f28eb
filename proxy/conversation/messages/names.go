package messages

import (
	"fmt"

	"github.com/sluice-gateway/sluice/proxy/conversation"
)

// names are the members of this dialect. It has no penalties and no seed.
var names = conversation.Names{
	Messages: "messages", Stop: "stop_sequences", Temperature: "temperature", TopP: "top_p", TopK: "top_k",
	FrequencyPenalty: "frequency_penalty", PresencePenalty: "presence_penalty", Seed: "seed",
	Format: "output_config.format", Reasoning: "thinking", User: "metadata.user_id",
	Part: func(m *conversation.Message, p *conversation.Part) string {
		if p.At < 0 {
			return fmt.Sprintf("messages[%d].content", m.At)
		}
		return fmt.Sprintf("messages[%d].content[%d]", m.At, p.At)
	},
	Message: func(m *conversation.Message) string { return fmt.Sprintf("messages[%d]", m.At) },
	Tool:    func(_ *conversation.Request, i int) string { return fmt.Sprintf("tools[%d]", i) },
}
