package responses

// eventKind is a type of event.
type eventKind uint8

const (
	unknown eventKind = iota
	failure
	begun
	ended
	itemAdded
	itemDone
	partDone
	textDelta
	textDone
	refusalDelta
	refusalDone
	argumentsDelta
	argumentsDone
	summaryDelta
	thoughtDelta
)

// eventKindOf reads a type. Those that say nothing new are unknown: what they hold comes with others.
func eventKindOf(name []byte) eventKind {
	switch string(name) {
	case "response.output_text.delta":
		return textDelta
	case "response.function_call_arguments.delta":
		return argumentsDelta
	case "response.reasoning_summary_text.delta":
		return summaryDelta
	case "response.reasoning_text.delta":
		return thoughtDelta
	case "response.refusal.delta":
		return refusalDelta
	case "response.created", "response.in_progress", "response.queued":
		return begun
	case "response.output_item.added":
		return itemAdded
	case "response.output_item.done":
		return itemDone
	case "response.content_part.done":
		return partDone
	case "response.output_text.done":
		return textDone
	case "response.refusal.done":
		return refusalDone
	case "response.function_call_arguments.done":
		return argumentsDone
	case "response.completed", "response.incomplete":
		return ended
	case "response.failed", "response.cancelled", "error":
		return failure
	}
	return unknown
}
