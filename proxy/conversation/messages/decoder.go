package messages

import (
	"errors"
	"fmt"

	"github.com/sluice-gateway/sluice/proxy/conversation"
	"github.com/sluice-gateway/sluice/proxy/conversation/wire"
)

// decoder reads the events of a stream. Blocks come one after another here too; those of unknown types are left out.
type decoder struct {
	c   *Codec
	r   wire.Reader
	dst []conversation.Event

	started bool
	// open: a block is, of that index; known: it is a part of the answer, of that kind.
	open, known      bool
	index            int64
	kind             conversation.PartKind
	reason, sequence string
	stopped          bool // a stop_reason has come
	counts           counts
	over             bool
	err              error
}

// NewDecoder implements conversation.Codec.
func (c *Codec) NewDecoder() conversation.Decoder { return &decoder{c: c} }

// event is what one event holds, whatever its type.
type event struct {
	kind             string
	index            int64
	block            block
	delta            delta
	id, model        string
	reason, sequence string
	failed           bool
}

// delta is more of a block.
type delta struct{ text, partial, signature string }

var (
	errOrder  = errors.New("messages stream: an event is out of order")
	errFailed = errors.New("messages stream: the upstream reports an error")
)

// Decode implements conversation.Decoder.
func (d *decoder) Decode(dst []conversation.Event, name, data []byte) ([]conversation.Event, bool, error) {
	if d.over || d.err != nil {
		return dst, d.over, d.err
	}
	var ev event
	d.r.Open(data)
	d.read(&ev)
	err := d.r.End()
	d.r.Close()
	if err != nil {
		d.err = fmt.Errorf("messages stream: %w", err)
		return dst, false, d.err
	}
	if ev.kind == "" {
		ev.kind = string(name)
	}
	d.dst = dst
	d.take(&ev)
	dst, d.dst = d.dst, nil
	return dst, d.over, d.err
}

// End implements conversation.Decoder: a stop_reason is the model's word that it stopped; message_stop is framing.
func (d *decoder) End(dst []conversation.Event) ([]conversation.Event, bool) {
	if !d.over && d.err == nil && d.stopped && !d.open {
		d.dst = dst
		d.finish()
		dst, d.dst = d.dst, nil
	}
	return dst, d.over
}

func (d *decoder) read(ev *event) {
	for name := range d.r.Members {
		switch string(name) {
		case "type":
			ev.kind = d.r.String()
		case "index":
			ev.index = d.r.Count()
		case "message":
			if d.object() {
				d.message(ev)
			}
		case "content_block":
			ev.block = d.c.readBlock(&d.r)
		case "delta":
			if d.object() {
				d.delta(ev)
			}
		case "usage":
			d.counts.read(&d.r)
		case "error":
			d.r.Skip()
			ev.failed = true
		default:
			d.r.Skip()
		}
	}
}

// object reports whether the next value is an object, and passes over any other: it is of an event that is not known.
func (d *decoder) object() bool {
	if d.r.Kind() == '{' {
		return true
	}
	d.r.Skip()
	return false
}

func (d *decoder) message(ev *event) {
	for name := range d.r.Members {
		switch string(name) {
		case "id":
			ev.id = d.r.String()
		case "model":
			ev.model = d.r.String()
		case "usage":
			d.counts.read(&d.r)
		default:
			d.r.Skip()
		}
	}
}

func (d *decoder) delta(ev *event) {
	for name := range d.r.Members {
		switch string(name) {
		case "text", "thinking":
			ev.delta.text = d.r.String()
		case "partial_json":
			ev.delta.partial = d.r.String()
		case "signature":
			ev.delta.signature = d.r.String()
		case "stop_reason":
			ev.reason = d.r.String()
		case "stop_sequence":
			ev.sequence = d.r.String()
		default:
			d.r.Skip()
		}
	}
}

func (d *decoder) emit(e conversation.Event) { d.dst = append(d.dst, e) }

// take tells what an event says. Types that are not known say nothing, as the vendor asks of clients.
func (d *decoder) take(ev *event) {
	if ev.failed || ev.kind == "error" {
		d.err = errFailed
		return
	}
	switch ev.kind {
	case "message_start":
		if d.started {
			d.err = errOrder
			return
		}
		d.started = true
		d.emit(conversation.Event{Kind: conversation.Start, ID: ev.id, Model: ev.model, Usage: d.counts.usage()})
		return
	case "content_block_start", "content_block_delta", "content_block_stop", "message_delta", "message_stop":
	default:
		return
	}
	if !d.started {
		d.err = errOrder
		return
	}
	d.follow(ev)
}

// follow tells what an event behind the start says.
func (d *decoder) follow(ev *event) {
	switch ev.kind {
	case "content_block_start":
		d.begin(ev)
	case "content_block_delta":
		d.more(ev)
	case "content_block_stop":
		if !d.open || ev.index != d.index {
			d.err = errOrder
			return
		}
		d.close()
	case "message_delta":
		if ev.reason != "" {
			d.reason, d.sequence, d.stopped = ev.reason, ev.sequence, true
		}
		d.emit(conversation.Event{Kind: conversation.Count, Usage: d.counts.usage()})
	case "message_stop":
		if d.open {
			d.err = errOrder
			return
		}
		d.finish()
	}
}

// begin opens a block. Most begin empty; what one begins with is told like the rest.
func (d *decoder) begin(ev *event) {
	if d.open {
		d.err = errOrder
		return
	}
	d.open, d.known, d.index, d.kind = true, ev.block.known(), ev.index, ev.block.Part.Kind
	if !d.known {
		return
	}
	b := &ev.block.Part
	part := conversation.Part{Kind: b.Kind, Sealed: b.Sealed, Signed: ev.block.kind == "thinking", Call: conversation.Call{ID: b.Call.ID, Name: b.Call.Name}}
	d.emit(conversation.Event{Kind: conversation.Open, Part: part})
	if text := b.Text + b.Call.Arguments; text != "" || b.Signature != "" {
		d.emit(conversation.Event{Kind: conversation.Delta, Delta: text, Signature: b.Signature})
	}
}

func (d *decoder) more(ev *event) {
	if !d.open || ev.index != d.index {
		d.err = errOrder
		return
	}
	text := ev.delta.text
	if d.kind == conversation.ToolCall {
		text = ev.delta.partial
	}
	if d.known && (text != "" || ev.delta.signature != "") {
		d.emit(conversation.Event{Kind: conversation.Delta, Delta: text, Signature: ev.delta.signature})
	}
}

func (d *decoder) close() {
	d.open = false
	if d.known {
		d.emit(conversation.Event{Kind: conversation.Close})
	}
}

func (d *decoder) finish() {
	d.over = true
	d.emit(conversation.Event{Kind: conversation.Finish, Stop: stop(d.reason, d.sequence), Usage: d.counts.usage()})
}
