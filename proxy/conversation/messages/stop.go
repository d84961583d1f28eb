package messages

import (
	"github.com/sluice-gateway/sluice/proxy/conversation"
	"github.com/sluice-gateway/sluice/proxy/conversation/wire"
)

func stop(reason, sequence string) conversation.Stop {
	s := conversation.Stop{}
	switch reason {
	case "end_turn", "":
	case "max_tokens", "model_context_window_exceeded":
		s.Reason = conversation.StopLength
	case "stop_sequence":
		s.Reason, s.Sequence = conversation.StopSequence, sequence
	case "tool_use":
		s.Reason = conversation.StopTools
	case "refusal":
		s.Reason = conversation.StopFilter
	case "pause_turn":
		s.Reason = conversation.StopPause
	default:
		s.Unknown = reason
	}
	return s
}

// writeStop writes why an answer ends. An answer that holds a refusal and ends in the ordinary way is one.
func writeStop(w *wire.Writer, s conversation.Stop, refused bool) {
	reason := "end_turn"
	switch s.Reason {
	case conversation.StopLength:
		reason = "max_tokens"
	case conversation.StopSequence:
		reason = "stop_sequence"
	case conversation.StopTools:
		reason = "tool_use"
	case conversation.StopFilter:
		reason = "refusal"
	case conversation.StopPause:
		reason = "pause_turn"
	case conversation.StopEnd:
		if refused {
			reason = "refusal"
		}
	}
	w.Name("stop_reason").String(reason)
	if s.Reason == conversation.StopSequence && s.Sequence != "" {
		w.Name("stop_sequence").String(s.Sequence)
	} else {
		w.Name("stop_sequence").Raw("null")
	}
}
