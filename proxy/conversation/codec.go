package conversation

// Codec is how one dialect says conversations. It has no state and is safe for concurrent use.
type Codec interface {
	// DecodeRequest reads a caller's body. dropped names the members that were left out by rule, as JSON pointers, the
	// first MaxDropped of them; the error is an *Error.
	DecodeRequest(body []byte) (r *Request, dropped []string, err error)
	// EncodeRequest writes the body for an upstream model of that name. dropped names members of the caller's body, as
	// DecodeRequest does. The error is an *Error: the dialect has no word for something that must not be dropped.
	EncodeRequest(r *Request, model string) (body []byte, dropped []string, err error)
	// DecodeAnswer reads an upstream's whole answer. An error is the upstream's fault.
	DecodeAnswer(body []byte) (*Answer, error)
	// EncodeAnswer writes a whole answer for a caller, whose request is r.
	EncodeAnswer(r *Request, a *Answer) []byte
	// NewDecoder returns a decoder for one stream of an upstream.
	NewDecoder() Decoder
	// NewEncoder returns an encoder for one stream to a caller, whose request is r.
	NewEncoder(r *Request) Encoder
}

// Decoder reads the events of one upstream's stream.
type Decoder interface {
	// Decode appends to dst what one server-sent event says. over: the stream has come to its proper end, and Finish is
	// the last event that has been appended. An error is the upstream's fault, and ends the stream.
	Decode(dst []Event, name, data []byte) (events []Event, over bool, err error)
	// End appends what the upstream's clean end of the stream says, without over from Decode: Finish, and over, if the
	// model has said that it stopped and only the dialect's closing words are missing; else nothing, for the stream has
	// been cut short.
	End(dst []Event) (events []Event, over bool)
}

// Keeper is an Encoder that keeps what it has told, since the end of its stream repeats it.
type Keeper interface {
	// Kept returns how many bytes are kept by now.
	Kept() int
}

// Encoder writes one stream to a caller.
type Encoder interface {
	// Append appends to dst the server-sent events, framed, that say e; there may be none. Finish brings the dialect's
	// proper end with it.
	Append(dst []byte, e *Event) []byte
}
