package fault

import "net/http"

// Kind is one way to treat a request, a good one included.
type Kind struct {
	Name string
	// Streams and Wholes say which requests it can meet.
	Streams, Wholes bool
	// Weight is its share among the kinds of its class, good or bad.
	Weight int
	Verdict
}

// Verdict is what must follow, by docs/cooldown.md.
type Verdict struct {
	// Good: the client gets the answer.
	Good bool
	// Committed: the client gets the begin of the answer and then an error event; nothing is tried again.
	Committed bool
	// Retried: the same target may be tried again. FallsOver: the next one may.
	Retried, FallsOver bool
	// Limited: the answer is 429, which is only retried where the routing says so.
	Limited bool
	// Refused: the upstream found fault with the request itself, not with the world.
	Refused bool
	// Silent: the connection ends before a byte of the answer. On one that has served before, the proxy takes
	// that for a keep-alive connection that had timed out and sends the request once more.
	Silent bool
	// Timeout: only a limit of time ends it.
	Timeout bool
	// Status is what the client is told if nothing better comes.
	Status int
}

var (
	good     = Verdict{Good: true}
	failed   = Verdict{Retried: true, FallsOver: true, Status: http.StatusBadGateway}
	silent   = Verdict{Retried: true, FallsOver: true, Status: http.StatusBadGateway, Silent: true}
	stalled  = Verdict{FallsOver: true, Status: http.StatusGatewayTimeout, Timeout: true}
	limited  = Verdict{FallsOver: true, Status: http.StatusTooManyRequests, Limited: true}
	locked   = Verdict{FallsOver: true, Status: http.StatusBadGateway}
	moved    = locked
	refused  = Verdict{Refused: true, Status: http.StatusBadRequest}
	cut      = Verdict{Committed: true, Status: http.StatusBadGateway}
	cutLate  = Verdict{Committed: true, Status: http.StatusGatewayTimeout, Timeout: true}
	cutError = Verdict{Committed: true, Status: http.StatusInternalServerError}
)

func answered(status int) Verdict { return Verdict{Retried: true, FallsOver: true, Status: status} }

// The good kinds.
const (
	Plain   = "plain"
	Gzip    = "gzip unasked"
	Slow    = "slow tokens"
	Huge    = "huge events"
	Odd     = "odd framing" // CRLF, comments, pings, an event in pieces, several in one
	NoDone  = "no [DONE]"   // ends after the finish_reason
	Noisy   = "a line of noise"
	Interim = "103 before"
	HangUp  = "closes after" // closes the connection after a whole answer, unannounced
	Chunked = "without length"
)

// The bad kinds.
const (
	ResetUnread    = "reset, request unread"
	ResetRead      = "reset before the head"
	CloseRead      = "close before the head"
	ResetHead      = "reset after the head"
	ResetPart      = "reset in the answer"
	ResetContent   = "reset after content"
	StallHead      = "stall before the head"
	StallBody      = "stall after the head"
	StallContent   = "stall after content"
	CutEarly       = "ends before content"
	CutContent     = "ends after content"
	CutEvent       = "ends inside an event"
	CutWhole       = "ends before its length"
	CutJSON        = "ends inside the JSON"
	Status500      = "500"
	Status502HTML  = "502 as HTML"
	Status503      = "503 with Retry-After"
	Status529      = "529"
	Status408      = "408"
	Limit          = "429"
	LimitSeconds   = "429 with Retry-After"
	LimitDate      = "429 with a date"
	Unauthorized   = "401"
	Payment        = "402"
	Forbidden      = "403"
	Redirect       = "302"
	BadRequest     = "400"
	ErrorFirst     = "error event first"
	ErrorLimit     = "rate limit event first"
	ErrorContent   = "error event after content"
	ErrorInside    = "error inside a 200"
	GarbageHead    = "garbage for a head"
	GarbageBody    = "garbage for a body"
	GarbageChunk   = "garbage for a chunk"
	GarbageContent = "garbage chunk after content"
	Empty          = "empty 200"
	BadCoding      = "unknown coding"
)

// kinds lists them all.
var kinds = []Kind{
	{Plain, true, true, 60, good},
	{Gzip, true, true, 6, good},
	{Slow, true, true, 6, good},
	{Huge, true, true, 1, good},
	{Odd, true, false, 10, good},
	{NoDone, true, false, 4, good},
	{Noisy, true, false, 3, good},
	{Interim, true, true, 3, good},
	{HangUp, true, true, 5, good},
	{Chunked, false, true, 8, good},

	{ResetUnread, true, true, 3, silent},
	{ResetRead, true, true, 4, silent},
	{CloseRead, true, true, 4, silent},
	{ResetHead, true, true, 3, failed},
	{ResetPart, false, true, 4, failed},
	{ResetContent, true, false, 4, cut},
	{StallHead, true, true, 2, stalled},
	{StallBody, true, true, 2, stalled},
	{StallContent, true, false, 2, cutLate},
	{CutEarly, true, false, 4, failed},
	{CutContent, true, false, 4, cut},
	{CutEvent, true, false, 4, cut},
	{CutWhole, false, true, 5, failed},
	{CutJSON, false, true, 5, failed},
	{Status500, true, true, 6, answered(500)},
	{Status502HTML, true, true, 3, answered(502)},
	{Status503, true, true, 3, answered(503)},
	{Status529, true, true, 3, answered(529)},
	{Status408, true, true, 2, answered(408)},
	{Limit, true, true, 3, limited},
	{LimitSeconds, true, true, 3, limited},
	{LimitDate, true, true, 2, limited},
	{Unauthorized, true, true, 2, locked},
	{Payment, true, true, 1, locked},
	{Forbidden, true, true, 1, locked},
	{Redirect, true, true, 2, moved},
	{BadRequest, true, true, 2, refused},
	{ErrorFirst, true, false, 4, answered(500)},
	{ErrorLimit, true, false, 2, limited},
	{ErrorContent, true, false, 4, cutError},
	{ErrorInside, false, true, 4, answered(500)},
	{GarbageHead, true, true, 3, failed},
	{GarbageBody, false, true, 4, failed},
	{GarbageChunk, true, true, 3, failed},
	{GarbageContent, true, false, 3, cut},
	{Empty, true, true, 4, failed},
	{BadCoding, true, true, 2, failed},
}
