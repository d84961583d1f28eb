package envelope

// Shape says what a body looks like, by its endpoint.
type Shape uint8

// The shapes.
const (
	// Plain: nothing of the body but the model and whether to stream matters.
	Plain Shape = iota
	// Chat is a body of /v1/chat/completions.
	Chat
)
