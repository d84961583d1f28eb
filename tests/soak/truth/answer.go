package truth

import (
	"fmt"
	"hash/crc32"
	"strconv"
	"strings"
)

// Answer is what one upstream says to one request it has got.
type Answer struct {
	// ID is the request's, and Hit counts the requests of that id that reached upstreams, from 1.
	ID  string
	Hit int
	// Model is what the upstream was asked for.
	Model string
	// Words is how many words the answer has, and Padding how many bytes each word has besides.
	Words, Padding int
}

// word is the i-th word, counted from 0: whose it is, where it stands, of how many, and a checksum
// that holds the model as well.
func (a Answer) word(b []byte, i int) []byte {
	start := len(b)
	b = fmt.Appendf(b, "%s/%d/%d/%d/%d/", a.ID, a.Hit, i, a.Words, a.Padding)
	for range a.Padding {
		b = append(b, 'x')
	}
	b = append(b, '/')
	sum := crc32.Update(crc32.ChecksumIEEE(b[start:]), crc32.IEEETable, []byte(a.Model))
	b = strconv.AppendUint(b, uint64(sum), 16)
	return append(b, ' ')
}

// identify reads whose answer a word belongs to; the rest of it is for the caller to compare.
func identify(word string) (a Answer, err error) {
	part := strings.SplitN(word, "/", 6)
	if len(part) < 6 {
		return a, fmt.Errorf("%.100q is no word of an answer", word)
	}
	a.ID = part[0]
	for into, s := range map[*int]string{&a.Hit: part[1], &a.Words: part[3], &a.Padding: part[4]} {
		if *into, err = strconv.Atoi(s); err != nil {
			return a, fmt.Errorf("%.100q is no word of an answer: %w", word, err)
		}
	}
	return a, nil
}

// usage is what the answer costs by the upstream's count.
func (a Answer) usage(b []byte) []byte {
	return fmt.Appendf(b, `{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d}`, a.Hit, a.Words, a.Hit+a.Words)
}

// Whole returns the answer as one JSON object.
func (a Answer) Whole() []byte {
	b := a.head(nil, "chat.completion")
	b = append(b, `[{"index":0,"message":{"role":"assistant","content":"`...)
	for i := range a.Words {
		b = a.word(b, i)
	}
	b = append(b, `"},"finish_reason":"stop"}],"usage":`...)
	b = a.usage(b)
	return append(b, '}')
}

func (a Answer) head(b []byte, object string) []byte {
	return fmt.Appendf(b, `{"id":"chatcmpl-%s-%d","object":"%s","created":1,"model":%q,"choices":`, a.ID, a.Hit, object, a.Model)
}

// Role returns the first event of a stream, which brings nothing of the answer.
func (a Answer) Role(usage bool) []byte {
	return a.chunk(`{"role":"assistant","content":""}`, "null", usage)
}

// Word returns the event of the i-th word. When the request asked for usage, every event but the last says
// that there is none yet.
func (a Answer) Word(i int, usage bool) []byte {
	b := append(make([]byte, 0, 256+a.Padding), `{"content":"`...)
	return a.chunk(string(append(a.word(b, i), `"}`...)), "null", usage)
}

// Finish returns the event that ends the words.
func (a Answer) Finish(usage bool) []byte { return a.chunk(`{}`, `"stop"`, usage) }

func (a Answer) chunk(delta, finish string, usage bool) []byte {
	b := a.head(make([]byte, 0, 256+len(delta)), "chat.completion.chunk")
	b = append(b, `[{"index":0,"delta":`...)
	b = append(b, delta...)
	b = append(b, `,"finish_reason":`...)
	b = append(b, finish...)
	b = append(b, `}]`...)
	if usage {
		b = append(b, `,"usage":null`...)
	}
	return append(b, '}')
}

// Usage returns the event with the token counts.
func (a Answer) Usage() []byte {
	b := a.head(nil, "chat.completion.chunk")
	b = append(b, `[],"usage":`...)
	b = a.usage(b)
	return append(b, '}')
}

// Noise returns an event that is no JSON, as a careless server may send between two words.
func (a Answer) Noise() []byte { return fmt.Appendf(nil, "noise of %s/%d {", a.ID, a.Hit) }

// Done is the event that ends a stream.
const Done = "[DONE]"
