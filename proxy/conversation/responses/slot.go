package responses

import (
	"strings"

	"github.com/sluice-gateway/sluice/proxy/conversation"
)

// streamItem is an item of the output, from its first event on; done: nothing more comes of it.
type streamItem struct {
	output int64 // its place
	slots  []slot
	head   int // the first slot that is not closed
	done   bool
}

// slot is a part of the answer, from its first event on.
type slot struct {
	kind conversation.PartKind
	// content is the place of the part in its item; of a thought, that of its last paragraph.
	content  int64
	id, name string // of a call
	source   source // of a thought
	// opened: it has been told; told: something was said, be it that it waits; done: nothing more comes.
	opened, told, done bool
	// said is the text or the arguments that wait.
	said []byte
}

// source is where a thought is told: some servers tell its summary, some what was thought itself, some both.
type source uint8

const (
	ofSummary source = iota
	ofThought
)

const (
	// slotSize is what an item and a slot count among what waits: enough for an answer of nothing but items to be refused
	// before it takes long to find one.
	slotSize = 1 << 10
	// noContent is the place of what is the only one of its kind in its item.
	noContent = -1
)

// item returns the item at that place, the last one if there are several; it may be that it has not been announced.
func (d *decoder) item(output int64) *streamItem {
	for i := len(d.items) - 1; i >= 0; i-- {
		if d.items[i].output == output {
			return d.items[i]
		}
	}
	return d.addItem(output)
}

func (d *decoder) addItem(output int64) *streamItem {
	t := &streamItem{output: output}
	d.items = append(d.items, t)
	d.room -= slotSize
	return t
}

// find returns the slot of that kind and place; nil: there is none.
func (t *streamItem) find(kind conversation.PartKind, content int64) *slot {
	for i := len(t.slots) - 1; i >= 0; i-- {
		if s := &t.slots[i]; s.kind == kind && (content == noContent || content == s.content) {
			return s
		}
	}
	return nil
}

// slot is find, and adds the slot if there is none.
func (d *decoder) slot(t *streamItem, kind conversation.PartKind, content int64) *slot {
	if s := t.find(kind, content); s != nil {
		return s
	}
	d.calls = d.calls || kind == conversation.ToolCall
	d.room -= slotSize
	t.slots = append(t.slots, slot{kind: kind, content: content})
	return &t.slots[len(t.slots)-1]
}

// settle closes a part of a message, and tells its text if it came in no other way.
func (d *decoder) settle(ev *event, kind conversation.PartKind, text string) {
	t := d.item(ev.output)
	if t.find(kind, ev.content) == nil && text == "" {
		return
	}
	s := d.slot(t, kind, ev.content)
	if !s.told {
		d.more(t, s, text)
	}
	s.done = true
}

// name takes up the id and the name of a call, as far as they are new and not too late.
func (d *decoder) name(s *slot, id, name string) {
	if s.opened {
		return
	}
	if s.id == "" {
		s.id = id
		d.room -= len(id)
	}
	if s.name == "" {
		s.name = name
		d.room -= len(name)
	}
}

// argued takes up what of a call has not been told.
func (d *decoder) argued(output int64, id, name, arguments string) {
	t := d.item(output)
	s := d.slot(t, conversation.ToolCall, noContent)
	d.name(s, id, name)
	if !s.told {
		d.more(t, s, arguments)
	}
}

// think adds to a thought, whose paragraphs come one after another.
func (d *decoder) think(ev *event, from source, text string) {
	if text == "" {
		return
	}
	t := d.item(ev.output)
	s := d.slot(t, conversation.Thinking, noContent)
	switch {
	case !s.told:
		s.source = from
	case s.source != from:
		return
	case s.content != ev.content:
		text = paragraph + text
	}
	s.content = ev.content
	d.more(t, s, text)
}

// more adds text or arguments to a slot: told at once if it is the first that is not closed and open, else kept.
func (d *decoder) more(t *streamItem, s *slot, text string) {
	if text == "" {
		return
	}
	if s.done || t.done {
		if strings.TrimSpace(text) != "" {
			d.err = errOrder
		}
		return
	}
	s.told = true
	if s.opened && len(s.said) == 0 { // opened and not done: it is the first
		d.emit(conversation.Event{Kind: conversation.Delta, Delta: text})
		return
	}
	s.said = append(s.said, text...)
	d.room -= len(text)
}

// tell tells items as far as their order allows.
func (d *decoder) tell() {
	for d.err == nil && d.head < len(d.items) {
		t := d.items[d.head]
		for d.err == nil && t.head < len(t.slots) {
			if !d.tellSlot(t, &t.slots[t.head]) {
				return
			}
			t.head++
		}
		if !t.done && !d.finished {
			return
		}
		t.done, t.slots = true, nil
		d.head++
	}
}

// tellSlot opens a slot, tells it and closes it, and reports whether it came to that.
func (d *decoder) tellSlot(t *streamItem, s *slot) bool {
	if !d.open(t, s) {
		return false
	}
	if len(s.said) > 0 {
		d.emit(conversation.Event{Kind: conversation.Delta, Delta: string(s.said)})
		d.room += len(s.said)
		s.said = nil
	}
	if !s.done && !t.done && !d.finished {
		return false
	}
	s.done = true
	d.emit(conversation.Event{Kind: conversation.Close})
	return true
}

// open opens a slot and reports whether it is: a call waits for its name, and with it for its id.
func (d *decoder) open(t *streamItem, s *slot) bool {
	if s.opened {
		return true
	}
	part := conversation.Part{Kind: s.kind}
	if s.kind == conversation.ToolCall {
		if s.name == "" {
			if d.finished || t.done {
				d.err = errNoName
			}
			return false
		}
		s.id = d.c.callID(s.id)
		part.Call = conversation.Call{ID: s.id, Name: s.name}
	}
	s.opened = true
	d.emit(conversation.Event{Kind: conversation.Open, Part: part})
	return true
}
