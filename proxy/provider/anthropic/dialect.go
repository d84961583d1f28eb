package anthropic

import (
	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/proxy/provider"
)

// Version is the version of the API that is asked for when neither the caller nor the provider names one.
const Version = "2023-06-01"

// Dialect is how any server that speaks the Anthropic API is reached.
var Dialect = provider.Dialect{
	Forwarded:      []string{"Anthropic-Beta", "Anthropic-Version", "Traceparent", "Tracestate"},
	Defaults:       []core.Header{{Name: "Anthropic-Version", Value: Version}},
	ReturnedPrefix: "Anthropic-Ratelimit-",
	RequestID:      "Request-Id",
}

// Messages is how answers of /messages read.
var Messages = provider.Wire{Check: CheckMessage, Inspect: InspectMessage, EndName: []byte(eventStop), End: []byte(`{"type":"message_stop"}`)}

// Count is how answers of /messages/count_tokens read.
var Count = provider.Wire{Check: CheckMessage}
