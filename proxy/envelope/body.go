package envelope

import (
	"bytes"
	"io"
	"net/http"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/sluice-gateway/sluice/core"
)

// fixedParts are enough for two changes, which cut a body into five.
const fixedParts = 5

// Body is a caller's body with some values replaced, as parts of the one buffer. Copies of a Body are the same.
// The zero Body is empty.
type Body struct{ *parts }

type parts struct {
	fixed  [fixedParts][]byte
	n      int
	more   [][]byte // what does not fit into fixed
	length int64
	joined *bytes.Reader // of the reader that was made last, if that has the body in one piece
}

// Options say what else than the model's name changes.
type Options struct {
	// IncludeUsage makes the upstream end the stream with a usage chunk. It changes nothing in a body that
	// asks for no stream or for the usage already.
	IncludeUsage bool
	// Changes put top-level members in or take them out. None may name a member that the gateway reads.
	Changes []core.Change
}

// Body returns the body with the value of "model" replaced by that name, and with what the options ask for.
func (e *Envelope) Body(model string, o Options) Body {
	// The only error is invalid UTF-8, which is replaced.
	name, _ := jsontext.AppendQuote(nil, model)
	var room [4]edit
	edits := append(room[:0], edit{e.model, name})
	if usage, ok := e.addUsage(o); ok {
		edits = append(edits, usage)
	}
	if len(o.Changes) > 0 {
		edits = e.change(edits, o.Changes)
	}
	edits = join(edits)
	b := Body{new(parts)}
	rest := 0
	for _, d := range edits {
		b.add(e.raw[rest:d.at.start])
		b.add(d.text)
		rest = d.at.end
	}
	b.add(e.raw[rest:])
	return b
}

// edit puts text in the place of a span.
type edit struct {
	at   span
	text []byte
}

// join sorts edits by place and makes one of those at the same place, in the order in which they came.
func join(edits []edit) []edit {
	if len(edits) == 1 {
		return edits
	}
	slices.SortStableFunc(edits, func(a, b edit) int { return a.at.start - b.at.start })
	out := edits[:1]
	for _, d := range edits[1:] {
		if last := &out[len(out)-1]; d.at == last.at {
			last.text = append(last.text, d.text...)
			continue
		}
		out = append(out, d)
	}
	return out
}

// addUsage returns the edit that asks for the usage chunk, if one is due. An edit at the model's value
// stands after the new name.
func (e *Envelope) addUsage(o Options) (edit, bool) {
	switch {
	case !o.IncludeUsage || !e.Stream || e.IncludeUsage:
		return edit{}, false
	case !e.options.present():
		return edit{e.model, []byte(`,"stream_options":{"include_usage":true}`)}, true
	case e.usage.present():
		return edit{e.usage, []byte("true")}, true
	}
	switch e.raw[e.options.start] {
	case 'n':
		return edit{e.options, []byte(`{"include_usage":true}`)}, true
	case '{':
		inside := span{e.options.start + 1, e.options.start + 1}
		if e.emptyOptions() {
			return edit{inside, []byte(`"include_usage":true`)}, true
		}
		return edit{inside, []byte(`"include_usage":true,`)}, true
	}
	return edit{}, false
}

func (e *Envelope) emptyOptions() bool {
	inside := e.raw[e.options.start+1 : e.options.end-1]
	for _, c := range inside {
		if c > ' ' {
			return false
		}
	}
	return true
}

func (p *parts) add(part []byte) {
	switch {
	case len(part) == 0:
		return
	case p.n < fixedParts:
		p.fixed[p.n] = part
		p.n++
	default:
		p.more = append(p.more, part)
	}
	p.length += int64(len(part))
}

// Len returns the body's length in bytes.
func (b Body) Len() int64 {
	if b.parts == nil {
		return 0
	}
	return b.length
}

// Forget lets go of the bytes, whoever still holds the body or a reader of it. No reader may be in use.
func (b Body) Forget() {
	if b.parts == nil {
		return
	}
	if b.joined != nil {
		b.joined.Reset(nil)
	}
	*b.parts = parts{}
}

// joinable is the size up to which a body is put into one piece: net/http sends a body that it knows to be in
// memory together with its head, which saves more than the copy costs.
const joinable = 32 << 10

// Reader returns a reader of the body from its start. Closing it does nothing, so that a transport may
// close it at any moment.
func (b Body) Reader() io.ReadCloser {
	if b.parts == nil {
		return http.NoBody
	}
	if b.length > joinable {
		return &reader{body: b.parts}
	}
	whole := make([]byte, 0, b.length)
	for i := 0; b.part(i) != nil; i++ {
		whole = append(whole, b.part(i)...)
	}
	b.joined = bytes.NewReader(whole)
	return io.NopCloser(b.joined)
}

type reader struct {
	body *parts
	next int    // part to begin with when rest is empty
	rest []byte // of the part before that
}

// part returns the i-th part, or nil behind the last.
func (p *parts) part(i int) []byte {
	if i < p.n {
		return p.fixed[i]
	}
	if i -= p.n; i < len(p.more) {
		return p.more[i]
	}
	return nil
}

// Read copies the next bytes of the body.
func (r *reader) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		if len(r.rest) == 0 {
			if r.rest = r.body.part(r.next); r.rest == nil {
				break
			}
			r.next++
		}
		m := copy(p[n:], r.rest)
		n += m
		r.rest = r.rest[m:]
	}
	if n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

// Close does nothing.
func (r *reader) Close() error { return nil }
