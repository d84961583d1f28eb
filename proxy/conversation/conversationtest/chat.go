package conversationtest

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/sluice-gateway/sluice/proxy/conversation"
)

// chunk is a chunk of a chat stream.
type chunk struct {
	ID, Object, Model string
	Created           int64
	Choices           []struct {
		Index        int
		Delta        *chatDelta
		FinishReason *string `json:"finish_reason"`
	}
	Usage json.RawMessage
}

type chatDelta struct {
	Role, Content, Refusal *string
	Reasoning              *string                            `json:"reasoning_content"`
	Function               *struct{ Name, Arguments *string } `json:"function_call"`
	Calls                  []struct {
		Index    *int
		ID, Type *string
		Function struct{ Name, Arguments *string }
	} `json:"tool_calls"`
}

// chatUsage is the usage of a chat stream.
type chatUsage struct {
	Prompt     int64 `json:"prompt_tokens"`
	Completion int64 `json:"completion_tokens"`
	Total      int64 `json:"total_tokens"`
	In         struct {
		Cached int64 `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	Out struct {
		Thought int64 `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

// chatJudge follows a chat stream.
type chatJudge struct {
	story    Story
	first    *chunk
	finished bool
	counted  bool
}

// Chat tells what a whole chat stream says, or what makes it one that the dialect does not allow. withUsage: the caller
// asked for the usage.
func Chat(stream string, withUsage bool) (Story, error) {
	frames, ok := Frames(stream)
	if !ok || len(frames) == 0 {
		return Story{}, errors.New("not a stream of events")
	}
	var j chatJudge
	for i, f := range frames {
		if f.Name != "" {
			return j.story, fmt.Errorf("event %d has a name", i)
		}
		if f.Data == "[DONE]" {
			switch {
			case i != len(frames)-1:
				return j.story, errors.New("something stands behind [DONE]")
			case !j.finished:
				return j.story, errors.New("there is no finish_reason")
			case withUsage != j.counted:
				return j.story, fmt.Errorf("a usage chunk: %t, asked for: %t", j.counted, withUsage)
			}
			return j.story, nil
		}
		var c chunk
		if err := json.Unmarshal([]byte(f.Data), &c); err != nil {
			return j.story, fmt.Errorf("event %d: %w", i, err)
		}
		if err := j.chunk(&c, withUsage); err != nil {
			return j.story, fmt.Errorf("event %d, %s: %w", i, f.Data, err)
		}
	}
	return j.story, errors.New("there is no [DONE]")
}

func (j *chatJudge) chunk(c *chunk, withUsage bool) error {
	if j.first == nil {
		j.first = c
		if len(c.Choices) != 1 || c.Choices[0].Delta == nil || c.Choices[0].Delta.Role == nil || *c.Choices[0].Delta.Role != "assistant" {
			return errors.New("the first chunk does not say the role")
		}
	} else if len(c.Choices) > 0 && c.Choices[0].Delta != nil && c.Choices[0].Delta.Role != nil {
		return errors.New("the role is said again")
	}
	if c.Object != "chat.completion.chunk" || c.ID == "" || c.ID != j.first.ID || c.Model != j.first.Model || c.Created != j.first.Created {
		return errors.New("object, id, model or created is not that of the stream")
	}
	if j.counted {
		return errors.New("a chunk stands behind the usage")
	}
	if len(c.Choices) == 0 {
		return j.usage(c)
	}
	if withUsage != (string(c.Usage) == "null") {
		return errors.New("usage must be null in a stream that has it, and missing in others")
	}
	choice := c.Choices[0]
	if len(c.Choices) != 1 || choice.Index != 0 || choice.Delta == nil || j.finished {
		return errors.New("not one first choice with a delta, before the finish_reason")
	}
	if choice.FinishReason != nil {
		return j.finish(*choice.FinishReason)
	}
	return j.delta(choice.Delta)
}

func (j *chatJudge) usage(c *chunk) error {
	var u chatUsage
	if err := json.Unmarshal(c.Usage, &u); err != nil || !j.finished {
		return fmt.Errorf("usage before the finish_reason, or none: %w", err)
	}
	if u.Total != u.Prompt+u.Completion || u.In.Cached > u.Prompt || u.Out.Thought > u.Completion {
		return errors.New("the usage does not add up")
	}
	j.story.Usage = conversation.Usage{Input: u.Prompt, Output: u.Completion, Cached: u.In.Cached, Thought: u.Out.Thought, Known: true}
	j.counted = true
	return nil
}

func (j *chatJudge) finish(reason string) error {
	reasons := map[string]conversation.StopReason{"stop": conversation.StopEnd, "length": conversation.StopLength,
		"tool_calls": conversation.StopTools, "function_call": conversation.StopTools, "content_filter": conversation.StopFilter}
	stop, ok := reasons[reason]
	if !ok {
		return errors.New("unknown finish_reason")
	}
	j.story.Stop, j.finished = stop, true
	return nil
}

func (j *chatJudge) delta(d *chatDelta) error {
	add := func(to *string, s *string) {
		if s != nil {
			*to += *s
		}
	}
	add(&j.story.Thought, d.Reasoning)
	add(&j.story.Spoken, d.Content)
	add(&j.story.Spoken, d.Refusal)
	if f := d.Function; f != nil {
		if f.Name != nil {
			j.story.Calls = append(j.story.Calls, conversation.Call{Name: *f.Name})
		}
		if len(j.story.Calls) != 1 {
			return errors.New("not one function call")
		}
		add(&j.story.Calls[0].Arguments, f.Arguments)
	}
	for _, c := range d.Calls {
		if c.Index == nil || *c.Index < 0 || *c.Index > len(j.story.Calls) || c.Function.Arguments == nil {
			return errors.New("a call without an index that follows, or without arguments")
		}
		begins := *c.Index == len(j.story.Calls)
		if begins != (c.ID != nil) || begins != (c.Type != nil) || begins != (c.Function.Name != nil) {
			return errors.New("id, type and name belong into the first chunk of a call, and nowhere else")
		}
		if begins {
			j.story.Calls = append(j.story.Calls, conversation.Call{ID: *c.ID, Name: *c.Function.Name})
		}
		j.story.Calls[*c.Index].Arguments += *c.Function.Arguments
	}
	return nil
}
