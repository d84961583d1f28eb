package messages

import "github.com/sluice-gateway/sluice/proxy/conversation"

// thought is what a request says about thinking once it has been written.
type thought struct {
	on     bool
	effort string // for output_config
}

// minBudget is the least that the vendor takes.
const minBudget = 1024

// budgets are what the levels come to in tokens, for models that take a budget.
var budgets = map[string]int64{"minimal": 1024, "low": 2048, "medium": 8192, "high": 16384, "xhigh": 24576, "max": 24576}

// reason writes how much to think. The level none leaves the model to its default. A tool that must be called excludes
// thinking by a budget, and wins.
func (b *body) reason() {
	r := &b.r.Reasoning
	if !r.Set || r.Effort == "none" {
		return
	}
	if b.version >= adaptive {
		b.thought = thought{on: true, effort: b.level(r)}
		b.Name("thinking").Raw(`{"type":"adaptive"}`)
		return
	}
	if !b.forced() && b.provable() {
		b.budget(r)
	}
	if !b.thought.on {
		b.Drop(b.r.Names.Reasoning)
	}
}

// forced reports whether a tool must be called.
func (b *body) forced() bool {
	mode := b.r.ToolChoice.Mode
	return len(b.r.Tools) > 0 && (mode == conversation.ToolAny || mode == conversation.ToolNamed)
}

// level says how much to think as newer models take it.
func (b *body) level(r *conversation.Reasoning) string {
	switch {
	case r.Effort == "minimal":
		return "low"
	case r.Effort == "xhigh" && b.version < unsampled:
		return "high"
	case r.Effort != "" || r.Budget == 0:
		return r.Effort
	case r.Budget < 4096:
		return "low"
	case r.Budget < 16384:
		return "medium"
	}
	return "high"
}

// budget says it in tokens. A budget that the caller gave must be below max_tokens; one that stands for a level leaves
// the answer a quarter of them.
func (b *body) budget(r *conversation.Reasoning) {
	n := min(r.Budget, b.maxTokens-1)
	if n <= 0 {
		effort := r.Effort
		if effort == "" {
			effort = "high" // the vendor's default
		}
		n = min(budgets[effort], b.maxTokens/4*3)
	}
	if n < minBudget {
		return
	}
	b.thought.on = true
	b.Name("thinking").Object()
	b.Name("type").String("enabled")
	b.Name("budget_tokens").Int(n)
	b.EndObject()
}

// provable reports whether the history suits a model that thinks by a budget: while it waits for the results of tools,
// the turn that called them must begin with the thoughts that it had, signed.
func (b *body) provable() bool {
	turns := b.r.Messages
	if len(turns) < 2 || !hasKind(turns[len(turns)-1].Parts, conversation.ToolResult) {
		return true
	}
	for i := len(turns) - 1; i >= 0; i-- {
		if turns[i].Role == conversation.Assistant {
			parts := turns[i].Parts
			return len(parts) > 0 && proven(&parts[0])
		}
	}
	return true
}

func hasKind(parts []conversation.Part, kind conversation.PartKind) bool {
	for i := range parts {
		if parts[i].Kind == kind {
			return true
		}
	}
	return false
}

// proven reports whether a part is a thought that this vendor takes back.
func proven(p *conversation.Part) bool {
	return p.Kind == conversation.Thinking && (p.Signature != "" || p.Sealed != "")
}
