package conversationtest

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/sluice-gateway/sluice/proxy/conversation"
)

// ResponsesStream makes the events of a responses stream that an upstream may send: messages of several parts, calls,
// thoughts told as a summary or as they were; items of types that a client need not know; sometimes the events of two
// items by turns, and parts that come whole, without deltas. It returns what it says as well.
func ResponsesStream(r *rand.Rand) ([]Frame, Story) {
	g := &responsesMaker{r: r}
	g.add("response.created", `"response":`+g.object("in_progress", "[]", "null", "null"))
	if r.IntN(4) > 0 {
		g.add("response.in_progress", `"response":`+g.object("in_progress", "[]", "null", "null"))
	}
	for n := r.IntN(4); n > 0; n-- {
		g.frames = append(g.frames, g.turns()...)
	}
	g.end()
	for i := range g.frames {
		g.frames[i].Data = strings.Replace(g.frames[i].Data, `"sequence_number":0`, fmt.Sprintf(`"sequence_number":%d`, i), 1)
	}
	return g.frames, g.story
}

type responsesMaker struct {
	r      *rand.Rand
	frames []Frame
	story  Story
	items  int
	output []string
}

func (g *responsesMaker) object(status, output, incomplete, usage string) string {
	return fmt.Sprintf(`{"id":"resp_1","object":"response","created_at":1,"status":%q,"error":null,"incomplete_details":%s,"model":"m","output":%s,"usage":%s}`,
		status, incomplete, output, usage)
}

func responseFrame(kind, members string) Frame {
	return Frame{Name: kind, Data: `{"type":"` + kind + `","sequence_number":0,` + members + `}`}
}

func (g *responsesMaker) add(kind, members string) {
	g.frames = append(g.frames, responseFrame(kind, members))
}

// turns makes the events of an item, or of two by turns. The first one that begins stands first in the output.
func (g *responsesMaker) turns() []Frame {
	one := g.item()
	if g.r.IntN(3) > 0 {
		return one
	}
	other := g.item()
	mixed := append([]Frame(nil), one[0])
	one = one[1:]
	for len(one)+len(other) > 0 {
		if len(other) == 0 || len(one) > 0 && g.r.IntN(2) == 0 {
			mixed, one = append(mixed, one[0]), one[1:]
		} else {
			mixed, other = append(mixed, other[0]), other[1:]
		}
	}
	return mixed
}

// item makes the events of an item, and tells the story.
func (g *responsesMaker) item() []Frame {
	t := &itemMaker{r: g.r, index: g.items}
	g.items++
	switch g.r.IntN(7) {
	case 0, 1, 2:
		g.story.Spoken += t.message()
	case 3, 4:
		g.story.Calls = append(g.story.Calls, t.call())
	case 5:
		g.story.Thought += t.reasoning()
	case 6:
		t.search()
	}
	g.output = append(g.output, t.whole)
	return t.frames
}

func (g *responsesMaker) end() {
	u := &g.story.Usage
	usage := "null"
	if g.r.IntN(4) > 0 {
		u.Known, u.Cached, u.CacheWrites, u.Thought = true, count(g.r), count(g.r), count(g.r)
		u.Input, u.Output = u.Cached+u.CacheWrites+count(g.r), u.Thought+count(g.r)
		usage = fmt.Sprintf(`{"input_tokens":%d,"input_tokens_details":{"cached_tokens":%d,"cache_write_tokens":%d},"output_tokens":%d,"output_tokens_details":{"reasoning_tokens":%d},"total_tokens":%d}`,
			u.Input, u.Cached, u.CacheWrites, u.Output, u.Thought, u.Input+u.Output)
	}
	output := "[" + strings.Join(g.output, ",") + "]"
	switch g.r.IntN(4) {
	case 0:
		g.story.Stop = conversation.StopLength
		g.add("response.incomplete", `"response":`+g.object("incomplete", output, `{"reason":"max_output_tokens"}`, usage))
	case 1:
		g.story.Stop = conversation.StopFilter
		g.add("response.incomplete", `"response":`+g.object("incomplete", output, `{"reason":"content_filter"}`, usage))
	default:
		if len(g.story.Calls) > 0 {
			g.story.Stop = conversation.StopTools
		}
		g.add("response.completed", `"response":`+g.object("completed", output, "null", usage))
	}
}

// itemMaker makes the events of one item.
type itemMaker struct {
	r      *rand.Rand
	index  int
	frames []Frame
	whole  string
}

func (t *itemMaker) add(kind, members string) {
	t.frames = append(t.frames, responseFrame(kind, fmt.Sprintf(`"item_id":"item_%d","output_index":%d,%s`, t.index, t.index, members)))
}

func (t *itemMaker) bounds(begin, end string, inner func()) {
	t.add("response.output_item.added", `"item":`+begin)
	inner()
	t.whole = end
	t.add("response.output_item.done", `"item":`+end)
}

// deltas makes the deltas of a text; sometimes there are none, and the text comes with its end.
func (t *itemMaker) deltas(kind, at, s string) {
	if t.r.IntN(6) == 0 {
		return
	}
	for _, piece := range pieces(t.r, s) {
		t.add(kind+".delta", at+`"delta":`+quote(piece)+`,"obfuscation":"x"`)
	}
}

// wordsPart is a part of a message.
type wordsPart struct{ kind, member, text string }

func (p wordsPart) json(text string) string {
	return fmt.Sprintf(`{"type":%q,"annotations":[],%q:%s}`, p.kind, p.member, quote(text))
}

func (t *itemMaker) message() string {
	var spoken string
	var parts []wordsPart
	var whole []string
	for range 1 + t.r.IntN(2) {
		p := wordsPart{"output_text", "text", text(t.r)}
		if t.r.IntN(4) == 0 {
			p.kind, p.member = "refusal", "refusal"
		}
		spoken, parts, whole = spoken+p.text, append(parts, p), append(whole, p.json(p.text))
	}
	head := fmt.Sprintf(`{"id":"item_%d","type":"message","role":"assistant","status":`, t.index)
	t.bounds(head+`"in_progress","content":[]}`, head+`"completed","content":[`+strings.Join(whole, ",")+`]}`, func() {
		for i, p := range parts {
			t.part(i, p)
		}
	})
	return spoken
}

// part makes the events of a part of a message.
func (t *itemMaker) part(i int, p wordsPart) {
	at := fmt.Sprintf(`"content_index":%d,`, i)
	t.add("response.content_part.added", at+`"part":`+p.json(""))
	t.deltas("response."+p.kind, at, p.text)
	if t.r.IntN(4) == 0 {
		t.add("response.output_text.annotation.added", at+`"annotation_index":0,"annotation":{"type":"url_citation"}`)
	}
	t.add("response."+p.kind+".done", at+`"`+p.member+`":`+quote(p.text))
	t.add("response.content_part.done", at+`"part":`+p.json(p.text))
}

func (t *itemMaker) call() conversation.Call {
	c := conversation.Call{ID: fmt.Sprintf("call_%d", t.index), Name: fmt.Sprintf("f%d", t.index), Arguments: object(t.r)}
	head := fmt.Sprintf(`{"id":"item_%d","type":"function_call","call_id":%q,"name":%q,"arguments":`, t.index, c.ID, c.Name)
	t.bounds(head+`"","status":"in_progress"}`, head+quote(c.Arguments)+`,"status":"completed"}`, func() {
		t.deltas("response.function_call_arguments", "", c.Arguments)
		t.add("response.function_call_arguments.done", `"arguments":`+quote(c.Arguments))
	})
	return c
}

// reasoning makes a thought, told as a summary in paragraphs, as it was thought, or as nothing but what is encrypted.
func (t *itemMaker) reasoning() string {
	member, kind, event, place := "summary", "summary_text", "response.reasoning_summary_text", "summary_index"
	if t.r.IntN(3) == 0 {
		member, kind, event, place = "content", "reasoning_text", "response.reasoning_text", "content_index"
	}
	var said, parts []string
	for range t.r.IntN(3) {
		s := text(t.r)
		said = append(said, s)
		parts = append(parts, fmt.Sprintf(`{"type":%q,"text":%s}`, kind, quote(s)))
	}
	head := fmt.Sprintf(`{"id":"item_%d","type":"reasoning","encrypted_content":"gAAA"`, t.index)
	empty := t.r.IntN(6) == 0 // no deltas at all
	t.bounds(head+`,"summary":[]}`, strings.Replace(head+`,"`+member+`":[`+strings.Join(parts, ",")+`],"summary":[]}`, `],"summary":[]}`, `]}`, 1), func() {
		for i, s := range said {
			at := fmt.Sprintf(`"%s":%d,`, place, i)
			if empty {
				continue
			}
			t.add("response.reasoning_summary_part.added", at+`"part":{"type":"summary_text","text":""}`)
			for _, piece := range pieces(t.r, s) {
				t.add(event+".delta", at+`"delta":`+quote(piece))
			}
			t.add(event+".done", at+`"text":`+quote(s))
		}
	})
	return strings.Join(said, "\n\n")
}

// search makes an item of the vendor's own tools.
func (t *itemMaker) search() {
	item := fmt.Sprintf(`{"id":"item_%d","type":"web_search_call","status":"completed","action":{"type":"search","query":"x"}}`, t.index)
	t.bounds(item, item, func() {
		t.add("response.web_search_call.in_progress", `"x":0`)
		t.add("response.web_search_call.completed", `"x":0`)
	})
}
