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
// message is read, and nothing of it is kept. Whoever wants the first most bytes gets them, and of a long text a bounded
// number of others behind them.
func (e *Envelope) Prompt(dst []byte, most int) []byte {
	w := token.Walk(e.raw[e.prompt.start:e.prompt.end])
	if w.Kind() == '"' {
		return unquote(dst, w.Value(), most)
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
		if dst = unquote(dst, text, most); len(dst)-began >= most {
			break
		}
	}
	return dst
}

// unquote appends what a string says. What is not Unicode in it is replaced.
func unquote(dst []byte, quoted jsontext.Value, most int) []byte {
	dst, _ = jsontext.AppendUnquote(dst, head(quoted, most))
	return dst
}

// perByte is the longest escape of one byte of text: \u0061.
const perByte = 6

// head returns the beginning of a long string, as a string, that holds at least its first most bytes: a prompt of a
// megabyte is not copied for the sake of its first page.
func head(quoted jsontext.Value, most int) jsontext.Value {
	if len(quoted) <= perByte*most+len(`""`) {
		return quoted
	}
	end := 1
	for end <= perByte*most {
		switch {
		case quoted[end] != '\\':
			end++
		case quoted[end+1] == 'u':
			end += len(`\u0000`)
		default:
			end += len(`\n`)
		}
	}
	end = min(end, len(quoted)-1)
	return append(quoted[:end:end], '"')
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
