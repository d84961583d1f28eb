package envelope

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/sluice-gateway/sluice/proxy/token"
)

// Types of content parts that are text.
const (
	partText      = "text"
	partInputText = "input_text"
)

// Prompt appends to dst what the user said last and returns it: the text of the last message of the user, its parts
// joined by line ends; of a body of /v1/completions, its prompts. Nothing is appended when there is no text. Only that
// message is read, and nothing of it is kept.
func (e *Envelope) Prompt(dst []byte) []byte {
	w := token.Walk(e.raw[e.prompt.start:e.prompt.end])
	if w.Kind() == '"' {
		return unquote(dst, w.Value())
	}
	began := len(dst)
	for range w.Elements {
		text := said(&w)
		if text == nil {
			continue
		}
		if len(dst) > began {
			dst = append(dst, '\n')
		}
		dst = unquote(dst, text)
	}
	return dst
}

// unquote appends what a string says. What is not Unicode in it is replaced.
func unquote(dst []byte, quoted jsontext.Value) []byte {
	dst, _ = jsontext.AppendUnquote(dst, quoted)
	return dst
}

// said walks over a content part and returns its text in quotes; nil if it is none. A string is a text by itself.
func said(w *token.Walker) jsontext.Value {
	if w.Kind() == '"' {
		return w.Value()
	}
	var kind, text jsontext.Value
	for name := range w.Members {
		switch string(token.Text(name)) {
		case memberType:
			kind = w.Value()
		case memberText:
			text = w.Value()
		default:
			w.Value()
		}
	}
	if kind.Kind() != '"' || text.Kind() != '"' {
		return nil
	}
	switch string(token.Text(kind)) {
	case partText, partInputText:
		return text
	}
	return nil
}
