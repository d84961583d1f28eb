package chat

import "github.com/sluice-gateway/sluice/proxy/conversation"

// stop reads a finish_reason. OpenAI itself says "stop" where the request named the tool to call.
func stop(reason string, calls bool) conversation.Stop {
	s := conversation.Stop{}
	switch reason {
	case "stop", "":
	case "length":
		s.Reason = conversation.StopLength
	case "tool_calls", "function_call":
		s.Reason = conversation.StopTools
	case "content_filter":
		s.Reason = conversation.StopFilter
	default:
		s.Unknown = reason
	}
	if s.Reason == conversation.StopEnd && calls {
		s.Reason = conversation.StopTools
	}
	return s
}

// finishReason writes why an answer ends.
func finishReason(s conversation.StopReason, functions bool) string {
	switch s {
	case conversation.StopLength:
		return "length"
	case conversation.StopTools:
		if functions {
			return "function_call"
		}
		return "tool_calls"
	case conversation.StopFilter:
		return "content_filter"
	}
	return "stop"
}
