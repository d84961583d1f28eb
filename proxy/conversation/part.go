package conversation

import "strings"

// Part is one piece of a turn. Kind says which of its fields have a meaning.
type Part struct {
	Kind PartKind
	// Text of Text, Refusal and Thinking.
	Text string
	// Media of Image, Audio and File.
	Media Media
	// Call of ToolCall.
	Call Call
	// Result of ToolResult.
	Result Result
	// Signature proves a Thinking to the vendor that made it, and Sealed is one that only that vendor can read, in place
	// of Text. Both are opaque, and mean nothing to another vendor.
	Signature, Sealed string
	// Signed: the Signature of a Thinking that a stream opens comes with its deltas.
	Signed bool
	// Cached: the dialect's mark that a prompt cache may end behind this part.
	Cached bool
	// At is the part's place in the member of the caller's body that holds it, for Names; -1: the member itself.
	At int
}

// size is about how many bytes the part holds.
func (p *Part) size() int {
	n := len(p.Text) + len(p.Media.Base64) + len(p.Media.URL) + len(p.Call.Arguments) + len(p.Signature) + len(p.Sealed)
	for i := range p.Result.Parts {
		n += p.Result.Parts[i].size()
	}
	return n
}

// PartKind is a kind of part.
type PartKind uint8

// The kinds of parts.
const (
	Text PartKind = iota
	Image
	Audio
	File
	// ToolCall is the model's call of a tool, in an assistant's turn.
	ToolCall
	// ToolResult is what a tool has answered, in a user's turn.
	ToolResult
	// Thinking is what the model thought, in an assistant's turn.
	Thinking
	// Refusal is the model's word that it will not answer, in an assistant's turn.
	Refusal
)

// Media is an image, a sound or a document: bytes or a place to fetch them from.
type Media struct {
	// Type is the media type, such as image/png; empty: not known.
	Type string
	// Base64 holds the bytes in base64, or URL says where they are, or ID names a file that was uploaded to the vendor.
	Base64, URL, ID string
	// Name is the file's name; empty: none.
	Name string
	// Detail is how closely to look at an image ("low", "high", "auto"); empty: not said.
	Detail string
}

// Locate tells bytes that stand in a data URL (RFC 2397) from a place to fetch them from. It is false, and nothing is
// changed, where a data URL is not in base64.
func (m *Media) Locate(url string) bool {
	rest, isData := strings.CutPrefix(url, "data:")
	if !isData {
		m.URL = url
		return true
	}
	head, data, ok := strings.Cut(rest, ",")
	head, is64 := strings.CutSuffix(head, ";base64")
	if !ok || !is64 {
		return false
	}
	m.Type, _, _ = strings.Cut(head, ";")
	m.Base64 = data
	return true
}

// Call is the call of a tool.
type Call struct {
	ID, Name string
	// Arguments is the JSON of the arguments as the model wrote it, which need not be valid. Empty is {}.
	Arguments string
}

// Result is the answer of a tool.
type Result struct {
	// CallID is the id of the Call.
	CallID string
	// Name of the tool; empty: the dialect does not say it.
	Name string
	// Parts are text, images and files.
	Parts []Part
	// Failed: the tool could not do it.
	Failed bool
}
