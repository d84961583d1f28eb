package openai

import "github.com/sluice-gateway/sluice/proxy/provider"

// Dialect is how any server that speaks the OpenAI API is reached.
var Dialect = provider.Dialect{
	Forwarded:      []string{"Openai-Beta", "Traceparent", "Tracestate"},
	Returned:       []string{"Openai-Processing-Ms", "Openai-Version"},
	ReturnedPrefix: "X-Ratelimit-",
	RequestID:      "X-Request-Id",
}

// Chat is how answers of /chat/completions and /completions read.
var Chat = provider.Wire{Check: CheckAnswer, Inspect: Inspect, End: doneMark, AppendWithoutUsage: AppendWithoutUsage}
