package conversationtest

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/sluice-gateway/sluice/proxy/conversation"
)

// messageEvent is an event of a messages stream.
type messageEvent struct {
	Type    string
	Index   *int
	Message *struct {
		ID, Type, Role, Model string
		Content               []json.RawMessage
		StopReason            *string `json:"stop_reason"`
		Usage                 *messageUsage
	}
	Block *struct {
		Type, ID, Name, Text, Thinking, Signature, Data string
		Input                                           json.RawMessage
	} `json:"content_block"`
	Delta *struct {
		Type, Text, Thinking, Signature string
		Partial                         string  `json:"partial_json"`
		StopReason                      *string `json:"stop_reason"`
	}
	Usage *messageUsage
}

type messageUsage struct {
	Input  *int64 `json:"input_tokens"`
	Output *int64 `json:"output_tokens"`
	Reads  int64  `json:"cache_read_input_tokens"`
	Writes int64  `json:"cache_creation_input_tokens"`
	Detail struct {
		Thought int64 `json:"thinking_tokens"`
	} `json:"output_tokens_details"`
}

// messageJudge follows a messages stream.
type messageJudge struct {
	story         Story
	started       bool
	blocks        int
	open          string // the type of the open block
	said          bool   // it says something
	ended, closed bool
}

// Messages tells what a whole messages stream says, or what makes it one that the dialect does not allow.
func Messages(stream string) (Story, error) {
	frames, ok := Frames(stream)
	if !ok || len(frames) == 0 {
		return Story{}, errors.New("not a stream of events")
	}
	var j messageJudge
	for i, f := range frames {
		var ev messageEvent
		if err := json.Unmarshal([]byte(f.Data), &ev); err != nil {
			return j.story, fmt.Errorf("event %d: %w", i, err)
		}
		if f.Name != ev.Type {
			return j.story, fmt.Errorf("event %d is called %s and is a %s", i, f.Name, ev.Type)
		}
		if err := j.event(&ev); err != nil {
			return j.story, fmt.Errorf("event %d, %s: %w", i, f.Data, err)
		}
	}
	if !j.closed {
		return j.story, errors.New("there is no message_stop")
	}
	return j.story, nil
}

func (j *messageJudge) event(ev *messageEvent) error {
	if j.closed {
		return errors.New("something stands behind message_stop")
	}
	if j.started == (ev.Type == "message_start") {
		return errors.New("not one message_start, as the first event")
	}
	switch ev.Type {
	case "message_start":
		j.started = true
		m := ev.Message
		if m == nil || m.ID == "" || m.Type != "message" || m.Role != "assistant" || m.Content == nil || len(m.Content) > 0 || m.StopReason != nil {
			return errors.New("not the beginning of a message")
		}
		return counted(m.Usage)
	case "content_block_start":
		return j.begin(ev)
	case "content_block_delta":
		return j.delta(ev)
	case "content_block_stop":
		if j.open == "" || ev.Index == nil || *ev.Index != j.blocks-1 || !j.said {
			return errors.New("no such block is open, or it says nothing")
		}
		j.open = ""
	case "message_delta":
		return j.end(ev)
	case "message_stop":
		if !j.ended {
			return errors.New("there is no message_delta before it")
		}
		j.closed = true
	case "ping":
	default:
		return errors.New("unknown type")
	}
	return nil
}

func counted(u *messageUsage) error {
	if u == nil || u.Input == nil || u.Output == nil || *u.Input < 0 || *u.Output < 0 {
		return errors.New("the usage lacks numbers")
	}
	return nil
}

func (j *messageJudge) begin(ev *messageEvent) error {
	b := ev.Block
	if j.open != "" || j.ended || b == nil || ev.Index == nil || *ev.Index != j.blocks {
		return errors.New("not the next block")
	}
	j.open, j.said = b.Type, false
	j.blocks++
	switch b.Type {
	case "text", "thinking":
		if b.Text+b.Thinking+b.Signature != "" {
			return errors.New("a block does not begin empty")
		}
	case "redacted_thinking":
		j.story.Proofs += b.Data
		j.said = b.Data != ""
	case "tool_use":
		if b.ID == "" || b.Name == "" || string(b.Input) != "{}" || !conversation.ToolName(b.ID, len(b.ID)) {
			return errors.New("a call lacks its id, its name or its empty input")
		}
		j.story.Calls = append(j.story.Calls, conversation.Call{ID: b.ID, Name: b.Name})
		j.said = true
	default:
		return errors.New("unknown type of block")
	}
	return nil
}

func (j *messageJudge) delta(ev *messageEvent) error {
	if j.open == "" || ev.Index == nil || *ev.Index != j.blocks-1 || ev.Delta == nil {
		return errors.New("no such block is open")
	}
	d := ev.Delta
	fits := map[string]string{"text_delta": "text", "input_json_delta": "tool_use", "thinking_delta": "thinking", "signature_delta": "thinking"}
	if fits[d.Type] != j.open {
		return fmt.Errorf("a %s in a block of type %s", d.Type, j.open)
	}
	j.said = true
	switch d.Type {
	case "text_delta":
		j.story.Spoken += d.Text
	case "input_json_delta":
		j.story.Calls[len(j.story.Calls)-1].Arguments += d.Partial
	case "thinking_delta":
		j.story.Thought += d.Thinking
	case "signature_delta":
		j.story.Proofs += d.Signature
	}
	return nil
}

func (j *messageJudge) end(ev *messageEvent) error {
	reasons := map[string]conversation.StopReason{"end_turn": conversation.StopEnd, "max_tokens": conversation.StopLength, "stop_sequence": conversation.StopSequence,
		"tool_use": conversation.StopTools, "refusal": conversation.StopFilter, "pause_turn": conversation.StopPause}
	if j.open != "" || j.ended || ev.Delta == nil || ev.Delta.StopReason == nil {
		return errors.New("not one end, with a reason, behind the last block")
	}
	stop, ok := reasons[*ev.Delta.StopReason]
	if !ok {
		return errors.New("unknown stop_reason")
	}
	j.story.Stop, j.ended = stop, true
	if err := counted(ev.Usage); err != nil {
		return err
	}
	u := ev.Usage
	j.story.Usage = conversation.Usage{Input: *u.Input + u.Reads + u.Writes, Cached: u.Reads, CacheWrites: u.Writes, Output: *u.Output, Thought: u.Detail.Thought, Known: true}
	return nil
}
