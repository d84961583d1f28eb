package responses

import "github.com/sluice-gateway/sluice/proxy/conversation"

// stop reads why a response ended. One that its vendor calls incomplete for an unknown reason has been cut short; it
// must not look whole.
func stop(o *response, calls bool) conversation.Stop {
	s := conversation.Stop{}
	switch {
	case o.incomplete == "content_filter":
		s.Reason = conversation.StopFilter
	case o.status == incomplete || o.incomplete != "":
		s.Reason = conversation.StopLength
		if o.incomplete != "max_output_tokens" {
			s.Unknown = o.incomplete
		}
	case calls:
		s.Reason = conversation.StopTools
	}
	return s
}

// ending is how a response says why it ended: its status, and the reason if that is incomplete.
func ending(s conversation.StopReason) (status, reason string) {
	switch s {
	case conversation.StopLength:
		return incomplete, "max_output_tokens"
	case conversation.StopFilter:
		return incomplete, "content_filter"
	}
	return completed, ""
}

// The states of a response and of its items.
const (
	completed  = "completed"
	incomplete = "incomplete"
	inProgress = "in_progress"
)
