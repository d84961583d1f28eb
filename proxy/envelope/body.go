package envelope

import (
	"bytes"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/sluice-gateway/sluice/core"
)

// fixedParts are enough for two changes, which cut a body into five.
const fixedParts = 5

// Body is a caller's body with some values replaced, as parts of the one buffer. The zero Body is empty.
type Body struct {
	fixed  [fixedParts][]byte
	n      int
	more   [][]byte // what does not fit into fixed
	length int64
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
	var b Body
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

func (b *Body) add(part []byte) {
	switch {
	case len(part) == 0:
		return
	case b.n < fixedParts:
		b.fixed[b.n] = part
		b.n++
	default:
		b.more = append(b.more, part)
	}
	b.length += int64(len(part))
}

// Len returns the body's length in bytes.
func (b Body) Len() int64 { return b.length }

// joined is the size up to which a body is put into one piece: net/http sends a body that it knows to be in
// memory together with its head, which saves more than the copy costs.
const joined = 32 << 10

// Reader returns a reader of the body from its start. Closing it does nothing, so that a transport may
// close it at any moment.
func (b Body) Reader() io.ReadCloser {
	if b.length > joined {
		return &reader{body: b}
	}
	whole := make([]byte, 0, b.length)
	for i := 0; b.part(i) != nil; i++ {
		whole = append(whole, b.part(i)...)
	}
	return io.NopCloser(bytes.NewReader(whole))
}

type reader struct {
	body Body
	next int    // part to begin with when rest is empty
	rest []byte // of the part before that
}

// part returns the i-th part, or nil behind the last.
func (b *Body) part(i int) []byte {
	if i < b.n {
		return b.fixed[i]
	}
	if i -= b.n; i < len(b.more) {
		return b.more[i]
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
