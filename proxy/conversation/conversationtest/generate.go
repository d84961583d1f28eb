package conversationtest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/sluice-gateway/sluice/proxy/conversation"
)

// words are what generated texts are made of: escapes, line ends, more than one byte a character.
var words = []string{"a", "Hello", " ", "\n", "\r\n", "\"", "\\", "é", "😀", "{", "}", "data: x", "\u2028", "</s>", "\t0"}

// text makes a text of a few words, which is not empty.
func text(r *rand.Rand) string {
	s := "t"
	for range r.IntN(3) {
		s += words[r.IntN(len(words))]
	}
	return s
}

// pieces cuts a text at random places, sometimes into empty pieces, never within a character.
func pieces(r *rand.Rand, s string) []string {
	var out []string
	for s != "" {
		if r.IntN(6) == 0 {
			out = append(out, "")
		}
		n, at := 1+r.IntN(8), len(s)
		for i := range s {
			if n == 0 {
				at = i
				break
			}
			n--
		}
		out, s = append(out, s[:at]), s[at:]
	}
	return out
}

// object makes the arguments of a call: an object, spelled in several ways, or nothing at all.
func object(r *rand.Rand) string {
	switch r.IntN(4) {
	case 0:
		return ""
	case 1:
		return "{}"
	}
	inner := quote(text(r))
	return fmt.Sprintf(`{"x": %s,"n":%d.0,"a":[{"b":%s}]}`, inner, r.IntN(100), inner)
}

func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // strings always have JSON
	}
	return string(b)
}

func count(r *rand.Rand) int64 { return r.Int64N(1000) }

// ChatStream makes the events of a chat stream that an upstream may send: calls whose chunks come by turns, among
// text; chunks without choices; a finish_reason with the last of the content, or after it; a usage, or none; sometimes
// no [DONE]. It returns what it says as well.
func ChatStream(r *rand.Rand) ([]Frame, Story) {
	g := &chatMaker{r: r, story: Story{Usage: conversation.Usage{}}}
	if r.IntN(5) == 0 {
		g.frames = append(g.frames, Frame{Data: `{"id":"","model":"","choices":[],"prompt_filter_results":[]}`})
	}
	g.chunk(`{"role":"assistant","content":` + []string{`""`, "null"}[r.IntN(2)] + `}`)
	g.prose()
	g.calls()
	stops := []conversation.StopReason{conversation.StopEnd, conversation.StopLength, conversation.StopTools, conversation.StopFilter}
	reasons := []string{"stop", "length", "tool_calls", "content_filter"}
	k := r.IntN(len(stops))
	if len(g.story.Calls) > 0 && k == 0 {
		k = 2
	}
	g.story.Stop = stops[k]
	if last := &g.frames[len(g.frames)-1].Data; r.IntN(2) == 0 {
		*last = strings.Replace(*last, `"finish_reason":null`, `"finish_reason":"`+reasons[k]+`"`, 1)
	} else {
		g.frames = append(g.frames, Frame{Data: strings.Replace(g.wrap("{}"), `"finish_reason":null`, `"finish_reason":"`+reasons[k]+`"`, 1)})
	}
	if r.IntN(3) > 0 {
		g.usage()
	}
	if r.IntN(4) > 0 {
		g.frames = append(g.frames, Frame{Data: "[DONE]"})
	}
	return g.frames, g.story
}

type chatMaker struct {
	r      *rand.Rand
	frames []Frame
	story  Story
}

func (g *chatMaker) wrap(delta string) string {
	return `{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":` + delta + `,"finish_reason":null}],"usage":null}`
}

func (g *chatMaker) chunk(delta string) { g.frames = append(g.frames, Frame{Data: g.wrap(delta)}) }

// prose makes thoughts, text and refusals.
func (g *chatMaker) prose() {
	for range g.r.IntN(3) {
		member, to := "content", &g.story.Spoken
		switch g.r.IntN(4) {
		case 0:
			member, to = []string{"reasoning_content", "reasoning"}[g.r.IntN(2)], &g.story.Thought
		case 1:
			member = "refusal"
		}
		s := text(g.r)
		*to += s
		for _, piece := range pieces(g.r, s) {
			g.chunk(`{"` + member + `":` + quote(piece) + `}`)
		}
	}
}

// calls makes calls whose pieces come by turns.
func (g *chatMaker) calls() {
	n := max(g.r.IntN(6)-2, 0)
	var left [][]string
	for i := range n {
		c := conversation.Call{ID: fmt.Sprintf("call_%d", i), Name: fmt.Sprintf("f%d", i), Arguments: object(g.r)}
		g.story.Calls = append(g.story.Calls, c)
		left = append(left, pieces(g.r, c.Arguments))
	}
	begun := 0
	for {
		var open []int
		for i := range begun {
			if len(left[i]) > 0 {
				open = append(open, i)
			}
		}
		if len(open) == 0 && begun == n {
			return
		}
		if begun < n && (len(open) == 0 || g.r.IntN(3) == 0) {
			c := &g.story.Calls[begun]
			first := ""
			if len(left[begun]) > 0 && g.r.IntN(2) == 0 {
				first, left[begun] = left[begun][0], left[begun][1:]
			}
			g.chunk(fmt.Sprintf(`{"tool_calls":[{"index":%d,"id":%q,"type":"function","function":{"name":%q,"arguments":%s}}]}`, begun, c.ID, c.Name, quote(first)))
			begun++
			continue
		}
		if g.r.IntN(8) == 0 {
			s := text(g.r)
			g.story.Spoken += s
			g.chunk(`{"content":` + quote(s) + `}`)
		}
		i := open[g.r.IntN(len(open))]
		g.chunk(fmt.Sprintf(`{"tool_calls":[{"index":%d,"function":{"arguments":%s}}]}`, i, quote(left[i][0])))
		left[i] = left[i][1:]
	}
}

func (g *chatMaker) usage() {
	u := &g.story.Usage
	u.Known, u.Cached, u.Thought = true, count(g.r), count(g.r)
	u.Input, u.Output = u.Cached+count(g.r), u.Thought+count(g.r)
	g.frames = append(g.frames, Frame{Data: fmt.Sprintf(`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m","choices":[],"usage":{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d,"prompt_tokens_details":{"cached_tokens":%d},"completion_tokens_details":{"reasoning_tokens":%d}}}`,
		u.Input, u.Output, u.Input+u.Output, u.Cached, u.Thought)})
}

// MessagesStream makes the events of a messages stream that an upstream may send: pings anywhere, empty blocks, blocks
// and deltas of types that a client need not know, a usage of which each event tells a part; sometimes no message_stop.
// It returns what it says as well.
func MessagesStream(r *rand.Rand) ([]Frame, Story) {
	g := &messagesMaker{r: r}
	u := &g.story.Usage
	u.Known, u.Cached, u.CacheWrites, u.Thought = true, count(r), count(r), count(r)
	u.Output = u.Thought + 1 + count(r)
	u.Input = u.Cached + u.CacheWrites + count(r)
	g.add("message_start", fmt.Sprintf(`"message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":%d,"cache_creation_input_tokens":%d,"cache_read_input_tokens":%d,"output_tokens":1}}`,
		u.Input-u.Cached-u.CacheWrites, u.CacheWrites, u.Cached))
	for range r.IntN(5) {
		g.block()
	}
	stops := []conversation.StopReason{conversation.StopEnd, conversation.StopLength, conversation.StopSequence, conversation.StopTools, conversation.StopFilter, conversation.StopPause, conversation.StopLength}
	k := r.IntN(len(stops))
	g.story.Stop = stops[k]
	reason := []string{"end_turn", "max_tokens", "stop_sequence", "tool_use", "refusal", "pause_turn", "model_context_window_exceeded"}[k]
	input := ""
	if r.IntN(2) == 0 {
		input = `"input_tokens":0,`
	}
	g.add("message_delta", fmt.Sprintf(`"delta":{"stop_reason":%q,"stop_sequence":null},"usage":{%s"output_tokens":%d,"output_tokens_details":{"thinking_tokens":%d}}`, reason, input, u.Output, u.Thought))
	if r.IntN(4) > 0 {
		g.add("message_stop", "")
	}
	return g.frames, g.story
}

type messagesMaker struct {
	r      *rand.Rand
	frames []Frame
	story  Story
	blocks int
}

func (g *messagesMaker) add(kind, members string) {
	if members != "" {
		members = "," + members
	}
	g.frames = append(g.frames, Frame{Name: kind, Data: `{"type":"` + kind + `"` + members + `}`})
	if g.r.IntN(5) == 0 && kind != "message_stop" {
		g.frames = append(g.frames, Frame{Name: "ping", Data: `{"type":"ping"}`})
	}
}

func (g *messagesMaker) begin(block string) {
	g.add("content_block_start", fmt.Sprintf(`"index":%d,"content_block":%s`, g.blocks, block))
}

func (g *messagesMaker) delta(kind, member, text string) {
	g.add("content_block_delta", fmt.Sprintf(`"index":%d,"delta":{"type":%q,%q:%s}`, g.blocks, kind, member, quote(text)))
}

func (g *messagesMaker) block() {
	switch g.r.IntN(6) {
	case 0, 1:
		g.begin(`{"type":"text","text":""}`)
		if g.r.IntN(4) > 0 {
			s := text(g.r)
			g.story.Spoken += s
			for _, piece := range pieces(g.r, s) {
				g.delta("text_delta", "text", piece)
			}
			g.delta("citations_delta", "cited", "x")
		}
	case 2:
		g.begin(`{"type":"thinking","thinking":"","signature":""}`)
		s, proof := text(g.r), text(g.r)
		g.story.Thought, g.story.Proofs = g.story.Thought+s, g.story.Proofs+proof
		for _, piece := range pieces(g.r, s) {
			g.delta("thinking_delta", "thinking", piece)
		}
		g.delta("signature_delta", "signature", proof)
	case 3:
		proof := text(g.r)
		g.story.Proofs += proof
		g.begin(`{"type":"redacted_thinking","data":` + quote(proof) + `}`)
	case 4:
		c := conversation.Call{ID: fmt.Sprintf("toolu_%d", g.blocks), Name: "f", Arguments: object(g.r)}
		g.begin(fmt.Sprintf(`{"type":"tool_use","id":%q,"name":"f","input":{}}`, c.ID))
		for _, piece := range pieces(g.r, c.Arguments) {
			g.delta("input_json_delta", "partial_json", piece)
		}
		g.story.Calls = append(g.story.Calls, c)
	case 5:
		g.begin(`{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{}}`)
		g.delta("input_json_delta", "partial_json", `{"query":"x"}`)
	}
	g.add("content_block_stop", fmt.Sprintf(`"index":%d`, g.blocks))
	g.blocks++
}
