package responses

import (
	"errors"
	"fmt"

	"github.com/sluice-gateway/sluice/proxy/conversation"
	"github.com/sluice-gateway/sluice/proxy/conversation/wire"
)

// decoder reads the events of a stream. Items come one after another from the vendor itself, but each event says which
// one it is about, and some servers work on several. The items stand in the order in which they began: the first one that
// is not done is told as it comes, the others wait.
type decoder struct {
	c     *Codec
	r     wire.Reader
	dst   []conversation.Event
	items []*streamItem
	head  int // the first item that is not done
	// room is how many more bytes may wait, and what items themselves take.
	room int

	started, calls, finished, over bool
	err                            error
}

// NewDecoder implements conversation.Codec.
func (c *Codec) NewDecoder() conversation.Decoder { return &decoder{c: c, room: maxWaiting} }

// maxWaiting bounds what waits: an answer whose items are interleaved and larger than this is nobody's.
const maxWaiting = 16 << 20

var (
	errFailed  = errors.New("responses stream: the upstream reports an error")
	errWaiting = errors.New("responses stream: too much of it is interleaved")
	errOrder   = errors.New("responses stream: a part goes on behind its end")
	errNoName  = errors.New("responses stream: a tool call has no name")
)

// event is what one event holds, whatever its type.
type event struct {
	kind                   eventKind
	output, content        int64 // content is the place of a part of a message, or of a thought
	delta, text, arguments string
	name                   string
	item                   outputItem
	part                   outputPart
	response               response
	failed                 bool
}

// Decode implements conversation.Decoder.
func (d *decoder) Decode(dst []conversation.Event, name, data []byte) ([]conversation.Event, bool, error) {
	if d.over || d.err != nil {
		return dst, d.over, d.err
	}
	if string(data) == "[DONE]" { // which some servers send as they do in the other dialect
		return dst, false, nil
	}
	ev := event{kind: eventKindOf(name)}
	d.r.Open(data)
	d.read(&ev)
	err := d.r.End()
	d.r.Close()
	if err != nil {
		d.err = fmt.Errorf("responses stream: %w", err)
		return dst, false, d.err
	}
	d.dst = dst
	d.take(&ev)
	d.tell()
	if d.room < 0 && d.err == nil {
		d.err = errWaiting
	}
	dst, d.dst = d.dst, nil
	return dst, d.over, d.err
}

// End implements conversation.Decoder: only the last event says that the model has stopped.
func (d *decoder) End(dst []conversation.Event) ([]conversation.Event, bool) { return dst, d.over }

func (d *decoder) read(ev *event) {
	for name := range d.r.Members {
		switch string(name) {
		case "type":
			ev.kind = eventKindOf(d.r.Text())
		case "output_index":
			ev.output = d.r.Count()
		case "content_index", "summary_index":
			ev.content = d.r.Count()
		case "delta":
			ev.delta = words(&d.r)
		case "text", "refusal":
			ev.text = words(&d.r)
		case "arguments":
			ev.arguments = words(&d.r)
		case "name":
			ev.name = words(&d.r)
		case "item":
			ev.item.read(&d.r)
		case "part":
			ev.part.read(&d.r)
		case "response":
			ev.response.read(&d.r)
		case "error":
			d.r.Skip()
			ev.failed = true
		default:
			d.r.Skip()
		}
	}
}

func (d *decoder) emit(e conversation.Event) { d.dst = append(d.dst, e) }

// take takes up what an event says. Types that are not known say nothing.
func (d *decoder) take(ev *event) {
	switch {
	case ev.failed, ev.kind == failure, ev.response.failed, ev.response.status == "failed", ev.response.status == "cancelled":
		d.err = errFailed
		return
	case ev.kind == unknown:
		return
	}
	d.start(ev)
	switch ev.kind {
	case itemAdded:
		d.begin(ev)
	case itemDone:
		d.itemDone(ev)
	case textDelta:
		d.words(ev, conversation.Text)
	case refusalDelta:
		d.words(ev, conversation.Refusal)
	case textDone:
		d.settle(ev, conversation.Text, ev.text)
	case refusalDone:
		d.settle(ev, conversation.Refusal, ev.text)
	case partDone:
		if ev.part.known && ev.part.kind != conversation.Thinking {
			d.settle(ev, ev.part.kind, ev.part.text)
		}
	case argumentsDelta:
		t := d.item(ev.output)
		d.more(t, d.slot(t, conversation.ToolCall, noContent), ev.delta)
	case argumentsDone:
		d.argued(ev.output, "", ev.name, ev.arguments)
	case summaryDelta:
		d.think(ev, ofSummary, ev.delta)
	case thoughtDelta:
		d.think(ev, ofThought, ev.delta)
	case ended:
		d.finish(ev)
	}
}

func (d *decoder) start(ev *event) {
	if !d.started {
		d.started = true
		d.emit(conversation.Event{Kind: conversation.Start, ID: ev.response.id, Model: ev.response.model, Usage: ev.response.usage})
	}
}

// words adds to a text or a refusal.
func (d *decoder) words(ev *event, kind conversation.PartKind) {
	if ev.delta != "" {
		t := d.item(ev.output)
		d.more(t, d.slot(t, kind, ev.content), ev.delta)
	}
}

// begin takes up an item. Only calls have something to say by then: what a message or a thought begins with comes again.
func (d *decoder) begin(ev *event) {
	t := d.addItem(ev.output)
	if ev.item.kind == callItem {
		d.name(d.slot(t, conversation.ToolCall, noContent), ev.item.callID, ev.item.name)
	}
}

// itemDone takes up what of an item has not been told, and closes it.
func (d *decoder) itemDone(ev *event) {
	t := d.item(ev.output)
	switch ev.item.kind {
	case messageItem:
		for i, p := range ev.item.content {
			if p.known && p.kind != conversation.Thinking {
				ev.content = int64(i)
				d.settle(ev, p.kind, p.text)
			}
		}
	case callItem:
		d.argued(ev.output, ev.item.callID, ev.item.name, ev.item.arguments)
	case reasoningItem:
		if t.find(conversation.Thinking, noContent) == nil {
			d.think(ev, ofSummary, ev.item.thought())
		}
	}
	t.done = true
}

// finish tells the proper end. What comes without a single event about its parts is told from the response itself.
func (d *decoder) finish(ev *event) {
	if len(d.items) == 0 && ev.response.output != nil {
		parts, err := d.c.outputParts(ev.response.output)
		if err != nil {
			d.err = fmt.Errorf("responses stream: %w", err)
			return
		}
		for i := range parts {
			d.whole(&parts[i])
		}
	}
	d.finished = true
	d.tell()
	if d.err != nil {
		return
	}
	d.over = true
	d.emit(conversation.Event{Kind: conversation.Finish, Stop: stop(&ev.response, d.calls), Usage: ev.response.usage})
}

// whole takes up a part that comes in one piece.
func (d *decoder) whole(p *conversation.Part) {
	t := d.addItem(int64(len(d.items)))
	s := d.slot(t, p.Kind, noContent)
	d.name(s, p.Call.ID, p.Call.Name)
	d.more(t, s, p.Text+p.Call.Arguments)
	t.done = true
}
