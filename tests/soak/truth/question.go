package truth

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"strconv"
	"strings"
)

// Question is one request of a client.
type Question struct {
	// ID names the request; it is fit for a header.
	ID    string
	Model string
	// Stream asks for a stream, and Usage for its token counts at the end.
	Stream, Usage bool
	// Padding is how many bytes of prompt follow what identifies the request.
	Padding int
}

// odd are members that no gateway knows, spelled so that decoding and encoding them again would show.
const odd = `"temperature":1.50,"x_odd":{"b":1.0,"a":[1e3,"\u00e4\/"],"a":2}`

// Body returns the request's body.
func (q Question) Body() []byte {
	b := make([]byte, 0, 256+len(q.ID)+q.Padding)
	b = append(b, `{"model":`...)
	b = strconv.AppendQuote(b, q.Model)
	if q.Stream {
		b = append(b, `,"stream":true`...)
	}
	if q.Usage {
		b = append(b, `,"stream_options":{"include_usage":true}`...)
	}
	b = append(b, `,"messages":[{"role":"user","content":"`...)
	b = append(b, q.prompt()...)
	b = append(b, `"}],`...)
	b = append(b, odd...)
	return append(b, '}')
}

// prompt identifies the request, is padded, and ends in a checksum of what stands before it.
func (q Question) prompt() string {
	s := q.ID + " " + strings.Repeat("prompt ", q.Padding/7)
	return s + strconv.FormatUint(uint64(crc32.ChecksumIEEE([]byte(s))), 16)
}

// Asked is what an upstream reads out of a request.
type Asked struct {
	ID, Model     string
	Stream, Usage bool
}

// Read takes a request body apart. An error says that it is not what a client sent, its model aside.
func Read(body []byte) (Asked, error) {
	var q struct {
		Model   string
		Stream  bool
		Options struct {
			Usage bool `json:"include_usage"`
		} `json:"stream_options"`
		Messages []struct{ Content string }
	}
	if err := json.Unmarshal(body, &q); err != nil {
		return Asked{}, fmt.Errorf("decode request: %w", err)
	}
	a := Asked{Model: q.Model, Stream: q.Stream, Usage: q.Options.Usage}
	if len(q.Messages) != 1 {
		return a, fmt.Errorf("request has %d messages, want 1", len(q.Messages))
	}
	prompt := q.Messages[0].Content
	end := strings.LastIndexByte(prompt, ' ') + 1
	if want := strconv.FormatUint(uint64(crc32.ChecksumIEEE([]byte(prompt[:end]))), 16); prompt[end:] != want {
		return a, fmt.Errorf("prompt has checksum %q, want %q", prompt[end:], want)
	}
	a.ID, _, _ = strings.Cut(prompt, " ")
	if !bytes.Contains(body, []byte(odd)) {
		return a, fmt.Errorf("request does not hold %s as it was sent", odd)
	}
	return a, nil
}
