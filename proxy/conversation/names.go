package conversation

// Names says how the caller's dialect calls what a request holds, for errors and for lists of what was dropped. It
// belongs to a dialect, not to a request, and never changes.
type Names struct {
	Messages, Stop, Temperature, TopP, TopK, FrequencyPenalty, PresencePenalty, Seed, Format, Reasoning, User string
	// Part names a part of a turn.
	Part func(m *Message, p *Part) string
	// Message names a turn.
	Message func(m *Message) string
	// Tool names the tool at that place of Request.Tools.
	Tool func(r *Request, i int) string
}
