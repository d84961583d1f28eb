package envelope

// Shape says what a body looks like, by its endpoint.
type Shape uint8

// The shapes.
const (
	// Plain: nothing of the body but the model and whether to stream matters.
	Plain Shape = iota
	// Chat is a body of /v1/chat/completions.
	Chat
	// Completions is a body of /v1/completions.
	Completions
	// Responses is a body of /v1/responses.
	Responses
	// Messages is a body of /v1/messages and below.
	Messages
)
