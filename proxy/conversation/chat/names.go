package chat

import (
	"fmt"

	"github.com/sluice-gateway/sluice/proxy/conversation"
)

// names are the members of this dialect.
var names = conversation.Names{
	Messages: "messages", Stop: "stop", Temperature: "temperature", TopP: "top_p", TopK: "top_k",
	FrequencyPenalty: "frequency_penalty", PresencePenalty: "presence_penalty", Seed: "seed",
	Format: "response_format", Reasoning: "reasoning_effort", User: "user",
	Part:    partName,
	Message: func(m *conversation.Message) string { return fmt.Sprintf("messages[%d]", m.At) },
	Tool: func(r *conversation.Request, i int) string {
		if r.Functions {
			return fmt.Sprintf("functions[%d]", i)
		}
		return fmt.Sprintf("tools[%d]", i)
	},
}

func partName(m *conversation.Message, p *conversation.Part) string {
	member := "content"
	switch p.Kind {
	case conversation.ToolCall:
		if p.At < 0 {
			return fmt.Sprintf("messages[%d].function_call", m.At)
		}
		member = "tool_calls"
	case conversation.Thinking:
		member = "reasoning_content"
	case conversation.ToolResult:
		return fmt.Sprintf("messages[%d]", m.At)
	}
	if p.At < 0 {
		return fmt.Sprintf("messages[%d].%s", m.At, member)
	}
	return fmt.Sprintf("messages[%d].%s[%d]", m.At, member, p.At)
}
