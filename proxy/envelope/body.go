package envelope

import (
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// maxParts: two changes cut a body into five.
const maxParts = 5

// Body is a caller's body with some values replaced, as parts of the one buffer. The zero Body is empty.
type Body struct {
	parts  [maxParts][]byte
	n      int
	length int64
}

// Options say what else than the model's name changes.
type Options struct {
	// IncludeUsage makes the upstream end the stream with a usage chunk. It changes nothing in a body that
	// asks for no stream or for the usage already.
	IncludeUsage bool
}

// Body returns the body with the value of "model" replaced by that name, and with what the options ask for.
func (e *Envelope) Body(model string, o Options) Body {
	// The only error is invalid UTF-8, which is replaced.
	name, _ := jsontext.AppendQuote(nil, model)
	first := edit{e.model, name}
	second, ok := e.addUsage(o)
	if ok && second.at == e.model {
		first.text = append(first.text, second.text...)
		ok = false
	}
	if ok && second.at.start < first.at.start {
		first, second = second, first
	}
	var b Body
	b.add(e.raw[:first.at.start])
	b.add(first.text)
	rest := first.at.end
	if ok {
		b.add(e.raw[rest:second.at.start])
		b.add(second.text)
		rest = second.at.end
	}
	b.add(e.raw[rest:])
	return b
}

// edit puts text in the place of a span.
type edit struct {
	at   span
	text []byte
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
	b.parts[b.n] = part
	b.n++
	b.length += int64(len(part))
}

// Len returns the body's length in bytes.
func (b Body) Len() int64 { return b.length }

// Reader returns a reader of the body from its start. Closing it does nothing, so that a transport may
// close it at any moment.
func (b Body) Reader() io.ReadCloser { return &reader{parts: b.parts} }

type reader struct {
	parts [maxParts][]byte
	i     int
}

// Read copies the next bytes of the body.
func (r *reader) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) && r.i < maxParts {
		m := copy(p[n:], r.parts[r.i])
		n += m
		if r.parts[r.i] = r.parts[r.i][m:]; len(r.parts[r.i]) == 0 {
			r.i++
		}
	}
	if n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

// Close does nothing.
func (r *reader) Close() error { return nil }
