package chat

import (
	"strings"

	"github.com/sluice-gateway/sluice/proxy/conversation"
)

// slot is a part of the answer, from its first chunk on.
type slot struct {
	kind   conversation.PartKind
	index  int64 // of a call, as the chunks number it
	id     string
	name   string
	opened bool
	// said is the text or the arguments that wait.
	said []byte
	json extent
}

// slotSize is what a slot counts among what waits, once and for all: more than it takes, since each piece of a call is
// looked for among them.
const slotSize = 1 << 10

// add appends a slot.
func (d *decoder) add(s slot) *slot {
	d.slots = append(d.slots, s)
	d.room -= slotSize
	return &d.slots[len(d.slots)-1]
}

// text adds to the last part if it is of that kind, or begins one.
func (d *decoder) text(kind conversation.PartKind, text string) {
	if text == "" {
		return
	}
	n := len(d.slots)
	if n == d.head || d.slots[n-1].kind != kind {
		d.add(slot{kind: kind, index: noIndex})
		n++
	}
	d.more(n-1, text)
}

// call adds to a call, or begins one.
func (d *decoder) call(c *call, at int) {
	d.calls = true
	i := d.find(c, at)
	if i < 0 {
		d.add(slot{kind: conversation.ToolCall, index: c.index})
		i = len(d.slots) - 1
	}
	s := &d.slots[i]
	if s.id == "" && !s.opened {
		s.id = c.id
	}
	if s.name == "" {
		s.name = c.name
	}
	d.room -= len(c.id) + len(c.name)
	d.more(i, c.arguments)
}

// find returns the slot of the call that a piece belongs to, or -1 for a new one. Chunks tell it by index; where there
// is none, by id; where there is neither, a name begins a call, and without one the place in the chunk tells. An id
// that is another one begins a call even if the index is not new: some servers number all calls 0.
func (d *decoder) find(c *call, at int) int {
	if c.index == noIndex && c.id == "" {
		if c.name != "" {
			return -1
		}
		return d.nth(at)
	}
	for i := len(d.slots) - 1; i >= 0; i-- {
		s := &d.slots[i]
		if s.kind != conversation.ToolCall {
			continue
		}
		switch {
		case c.index == noIndex && c.id == s.id:
			return i
		case c.index != noIndex && c.index == s.index && (c.id == "" || s.id == "" || c.id == s.id):
			return i
		}
	}
	return -1
}

// nth returns the slot of the call at that place, or of the last one if that call has come to its end; -1: there is none.
func (d *decoder) nth(at int) int {
	last, calls := -1, 0
	for i := range d.slots {
		if d.slots[i].kind != conversation.ToolCall {
			continue
		}
		if last = i; calls == at && !d.slots[i].json.whole() {
			return i
		}
		calls++
	}
	return last
}

// more adds text or arguments to a slot: told at once if it is the first that is not closed and open, else kept.
func (d *decoder) more(i int, text string) {
	s := &d.slots[i]
	if text == "" {
		return
	}
	if i < d.head {
		if strings.TrimSpace(text) != "" {
			d.err = errCut
		}
		return
	}
	if s.kind == conversation.ToolCall {
		s.json.add(text)
	}
	if i == d.head && s.opened && len(s.said) == 0 {
		d.emit(conversation.Event{Kind: conversation.Delta, Delta: text})
		return
	}
	s.said = append(s.said, text...)
	d.room -= len(text)
}

// tell opens, tells and closes slots as far as the order allows.
func (d *decoder) tell() {
	for d.err == nil && d.head < len(d.slots) {
		s := &d.slots[d.head]
		if !d.open(s) {
			return
		}
		if len(s.said) > 0 {
			d.emit(conversation.Event{Kind: conversation.Delta, Delta: string(s.said)})
			d.room += len(s.said)
			s.said = nil
		}
		behind := d.head < len(d.slots)-1
		if !d.finished && !(behind && (s.kind != conversation.ToolCall || s.json.whole())) {
			return
		}
		d.emit(conversation.Event{Kind: conversation.Close})
		d.head++
	}
}

// open opens a slot and reports whether it is: a call waits for its name.
func (d *decoder) open(s *slot) bool {
	if s.opened {
		return true
	}
	if s.kind == conversation.ToolCall && s.name == "" {
		if d.finished {
			d.err = errNoName
		}
		return false
	}
	part := conversation.Part{Kind: s.kind}
	if s.kind == conversation.ToolCall {
		if s.id == "" {
			s.id = "call_" + d.c.newID()
		}
		part.Call = conversation.Call{ID: s.id, Name: s.name}
	}
	s.opened = true
	d.emit(conversation.Event{Kind: conversation.Open, Part: part})
	return true
}

// extent follows the brackets of arguments that come in pieces, to tell where the object ends.
type extent struct {
	depth                  int
	begun, quoted, escaped bool
	other                  bool // it is no object, and ends nobody knows where
}

func (e *extent) add(text string) {
	for i := range len(text) {
		c := text[i]
		switch {
		case e.escaped:
			e.escaped = false
		case e.quoted:
			e.escaped, e.quoted = c == '\\', c != '"'
		case c == '"':
			e.quoted = true
		case c == '{' || c == '[':
			e.depth++
		case c == '}' || c == ']':
			e.depth--
		}
		if !e.begun && c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			e.begun, e.other = true, c != '{'
		}
	}
}

// whole reports whether the object has come to its end.
func (e *extent) whole() bool { return e.begun && !e.other && e.depth <= 0 && !e.quoted }
