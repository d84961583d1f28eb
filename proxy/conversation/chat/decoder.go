package chat

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/sluice-gateway/sluice/proxy/conversation"
	"github.com/sluice-gateway/sluice/proxy/conversation/wire"
)

// decoder reads the chunks of a stream. They may add to several calls by turns, and to text between them; the events
// tell one part after another. The parts stand in slots in the order of their first chunks: the first one that is not
// closed is told as it comes, the others wait.
type decoder struct {
	c     *Codec
	r     wire.Reader
	dst   []conversation.Event
	slots []slot
	head  int // the first slot that is not closed
	// room is how many more bytes may wait, and what slots themselves take.
	room int

	id, model string
	started   bool
	calls     bool
	reason    string
	finished  bool // a finish_reason has come
	over      bool
	usage     conversation.Usage
	err       error
}

// NewDecoder implements conversation.Codec.
func (c *Codec) NewDecoder() conversation.Decoder { return &decoder{c: c, room: maxWaiting} }

// maxWaiting bounds what waits: an answer whose calls are interleaved and larger than this is nobody's.
const maxWaiting = 16 << 20

var (
	done       = []byte("[DONE]")
	errWaiting = errors.New("chat stream: too much of it is interleaved")
	errCut     = errors.New("chat stream: arguments go on behind their end")
	errNoName  = errors.New("chat stream: a tool call has no name")
	errFailed  = errors.New("chat stream: the upstream reports an error")
)

// Decode implements conversation.Decoder.
func (d *decoder) Decode(dst []conversation.Event, name, data []byte) ([]conversation.Event, bool, error) {
	if d.over || d.err != nil {
		return dst, d.over, d.err
	}
	d.dst = dst
	if data = bytes.TrimSpace(data); bytes.Equal(data, done) {
		d.finish()
	} else {
		d.chunk(data)
		if string(name) == "error" {
			d.err = errFailed
		}
	}
	dst, d.dst = d.dst, nil
	return dst, d.over, d.err
}

// End implements conversation.Decoder: a finish_reason is the model's word that it stopped; [DONE] is framing.
func (d *decoder) End(dst []conversation.Event) ([]conversation.Event, bool) {
	if !d.over && d.finished && d.err == nil {
		d.dst = dst
		d.finish()
		dst, d.dst = d.dst, nil
	}
	return dst, d.over
}

// chunk reads one chunk. What it says of the first choice counts.
func (d *decoder) chunk(data []byte) {
	d.r.Open(data)
	defer d.r.Close()
	var m message
	reason, told, failed, counted := "", false, false, false
	for name := range d.r.Members {
		switch string(name) {
		case "id":
			d.keep(&d.id)
		case "model":
			d.keep(&d.model)
		case "choices":
			for range d.r.Elements {
				d.choice(&m, &reason)
				told = true
			}
		case "usage":
			if u := usage(&d.r); u.Known {
				d.usage, counted = u, true
			}
		case "error":
			switch string(d.r.Raw()) {
			case `""`, "{}", "[]", "false": // as some servers say that there is none
			default:
				failed = true
			}
		default:
			d.r.Skip()
		}
	}
	switch err := d.r.End(); {
	case err != nil:
		d.err = fmt.Errorf("chat stream: %w", err)
	case failed || reason == "error": // as some servers end what has failed
		d.err = errFailed
	case told:
		d.say(&m, reason)
	case d.id != "":
		d.start()
	}
	if counted && d.started && d.err == nil {
		d.emit(conversation.Event{Kind: conversation.Count, Usage: d.usage})
	}
}

// keep reads a string that is the same in all chunks but may be empty in the first.
func (d *decoder) keep(s *string) {
	if d.started || d.r.Kind() != '"' {
		d.r.Skip()
		return
	}
	if text := d.r.Text(); len(text) > 0 {
		*s = string(text)
	}
}

// choice reads a choice into m if it is the first.
func (d *decoder) choice(m *message, reason *string) {
	if d.r.Kind() != '{' {
		d.r.Skip()
		return
	}
	var own message
	ownReason, index := "", int64(0)
	for name := range d.r.Members {
		switch string(name) {
		case "index":
			index = d.r.Count()
		case "delta":
			own.read(&d.r)
		case "finish_reason":
			ownReason = d.r.String()
		default:
			d.r.Skip()
		}
	}
	if index == 0 {
		*m = own
		if ownReason != "" {
			*reason = ownReason
		}
	}
}

// say tells what a chunk says.
func (d *decoder) say(m *message, reason string) {
	d.start()
	d.text(conversation.Thinking, m.thinking())
	d.text(conversation.Text, m.content)
	d.text(conversation.Refusal, m.refusal)
	for i := range m.calls {
		d.call(&m.calls[i], i)
	}
	if reason != "" {
		d.reason, d.finished = reason, true
	}
	d.tell()
	if d.room < 0 && d.err == nil {
		d.err = errWaiting
	}
}

func (d *decoder) emit(e conversation.Event) { d.dst = append(d.dst, e) }

func (d *decoder) start() {
	if !d.started {
		d.started = true
		d.emit(conversation.Event{Kind: conversation.Start, ID: d.id, Model: d.model, Usage: d.usage})
	}
}

// finish tells the proper end.
func (d *decoder) finish() {
	d.start()
	d.finished = true
	d.tell()
	if d.err != nil {
		return
	}
	d.over = true
	d.emit(conversation.Event{Kind: conversation.Finish, Stop: stop(d.reason, d.calls), Usage: d.usage})
}
