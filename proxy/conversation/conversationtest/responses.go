package conversationtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/sluice-gateway/sluice/proxy/conversation"
)

// responseEvent is an event of a responses stream.
type responseEvent struct {
	Type     string
	Sequence *int64 `json:"sequence_number"`
	Response *responseObject
	Output   *int            `json:"output_index"`
	ItemID   string          `json:"item_id"`
	Content  *int            `json:"content_index"`
	Summary  *int            `json:"summary_index"`
	Item     json.RawMessage // of output_item events
	Part     *responsePart
	Delta    *string
	Text     *string
	Refusal  *string
	Name     string
	Args     *string `json:"arguments"`
}

type responseObject struct {
	ID, Object, Model, Status string
	Created                   int64 `json:"created_at"`
	Error                     json.RawMessage
	Incomplete                *struct{ Reason string } `json:"incomplete_details"`
	Output                    []json.RawMessage
	Usage                     *responseUsage
	Tools                     []json.RawMessage
	Choice                    json.RawMessage `json:"tool_choice"`
	Parallel                  *bool           `json:"parallel_tool_calls"`
	Store                     *bool
}

type responseUsage struct {
	Input  int64 `json:"input_tokens"`
	Output int64 `json:"output_tokens"`
	Total  int64 `json:"total_tokens"`
	In     struct {
		Cached int64 `json:"cached_tokens"`
		Writes int64 `json:"cache_write_tokens"`
	} `json:"input_tokens_details"`
	Out struct {
		Thought int64 `json:"reasoning_tokens"`
	} `json:"output_tokens_details"`
}

type responsePart struct {
	Type, Text, Refusal string
}

type responseItem struct {
	ID, Type, Status, Role, Name string
	CallID                       string `json:"call_id"`
	Arguments                    *string
	Content, Summary             []responsePart
	Sealed                       string `json:"encrypted_content"`
}

// responseJudge follows a responses stream.
type responseJudge struct {
	story  Story
	first  *responseObject
	events int64
	ids    map[string]bool
	// item is the open one, or nil; parts are those of it that are closed; part is the open one, or nil, and said what it
	// has said, as have the arguments of a call.
	item      *responseItem
	parts     []responsePart
	part      *responsePart
	said      string
	told      bool // the part, or the arguments, have been told whole
	done      []json.RawMessage
	last      string // the status of the last item
	completed bool
}

// Responses tells what a whole responses stream says, or what makes it one that the dialect does not allow.
func Responses(stream string) (Story, error) {
	frames, ok := Frames(stream)
	if !ok || len(frames) == 0 {
		return Story{}, errors.New("not a stream of events")
	}
	j := responseJudge{ids: map[string]bool{}}
	for i, f := range frames {
		var ev responseEvent
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
	if !j.completed {
		return j.story, errors.New("there is no response.completed and no response.incomplete")
	}
	return j.story, nil
}

func (j *responseJudge) event(ev *responseEvent) error {
	if ev.Sequence == nil || *ev.Sequence != j.events {
		return errors.New("not the next sequence_number")
	}
	j.events++
	switch {
	case j.completed:
		return errors.New("something stands behind the end")
	case (j.events == 1) != (ev.Type == "response.created") || (j.events == 2) != (ev.Type == "response.in_progress"):
		return errors.New("not one response.created and one response.in_progress, at the beginning")
	}
	switch ev.Type {
	case "response.created", "response.in_progress":
		return j.begin(ev.Response)
	case "response.completed", "response.incomplete":
		return j.end(strings.TrimPrefix(ev.Type, "response."), ev.Response)
	case "response.output_item.added":
		return j.itemAdded(ev)
	case "response.output_item.done":
		return j.itemDone(ev)
	}
	if j.item == nil || ev.Output == nil || *ev.Output != len(j.done) || ev.ItemID != j.item.ID {
		return errors.New("not about the open item")
	}
	if strings.HasPrefix(ev.Type, "response.function_call_arguments.") {
		return j.arguments(ev)
	}
	at := ev.Content
	if j.item.Type == "reasoning" {
		at = ev.Summary
	}
	if at == nil || *at != len(j.parts) || ev.Content != nil && ev.Summary != nil {
		return errors.New("not about the next part of the item")
	}
	return j.inside(ev)
}

func (j *responseJudge) begin(o *responseObject) error {
	if o == nil || o.ID == "" || !strings.HasPrefix(o.ID, "resp_") || o.Object != "response" || o.Status != "in_progress" || o.Output == nil ||
		len(o.Output) > 0 || o.Usage != nil || o.Incomplete != nil {
		return errors.New("not the beginning of a response")
	}
	if j.first == nil {
		j.first = o
	}
	return j.same(o)
}

// same judges what is the same in all responses of a stream.
func (j *responseJudge) same(o *responseObject) error {
	if o.ID != j.first.ID || o.Model != j.first.Model || o.Created != j.first.Created || string(o.Error) != "null" ||
		o.Tools == nil || o.Choice == nil || o.Parallel == nil || o.Store == nil || *o.Store {
		return errors.New("not the response that has begun, or without what clients expect")
	}
	return nil
}

func (j *responseJudge) itemAdded(ev *responseEvent) error {
	var t responseItem
	if err := json.Unmarshal(ev.Item, &t); err != nil {
		return err
	}
	if j.item != nil || ev.Output == nil || *ev.Output != len(j.done) || t.ID == "" || j.ids[t.ID] {
		return errors.New("not the next item, with an id of its own")
	}
	j.ids[t.ID] = true
	j.item, j.parts, j.said, j.told = &t, nil, "", false
	if j.last == "incomplete" {
		return errors.New("an item stands behind one that is incomplete")
	}
	switch t.Type {
	case "message":
		if t.Role != "assistant" || t.Content == nil || len(t.Content) > 0 || t.Status != "in_progress" || !strings.HasPrefix(t.ID, "msg_") {
			return errors.New("not the beginning of a message")
		}
	case "function_call":
		if t.CallID == "" || t.Name == "" || t.Arguments == nil || *t.Arguments != "" || t.Status != "in_progress" || !strings.HasPrefix(t.ID, "fc_") {
			return errors.New("not the beginning of a call")
		}
	case "reasoning":
		if t.Summary == nil || len(t.Summary) > 0 || !strings.HasPrefix(t.ID, "rs_") {
			return errors.New("not the beginning of a thought")
		}
	default:
		return errors.New("unknown type of item")
	}
	return nil
}

func (j *responseJudge) arguments(ev *responseEvent) error {
	if j.item.Type != "function_call" || j.told {
		return errors.New("arguments behind their end, or of no call")
	}
	if ev.Type == "response.function_call_arguments.delta" {
		if ev.Delta == nil || *ev.Delta == "" {
			return errors.New("a delta of nothing")
		}
		j.said += *ev.Delta
		return nil
	}
	if ev.Type != "response.function_call_arguments.done" || ev.Args == nil || *ev.Args != j.said || ev.Name != j.item.Name {
		return errors.New("not the arguments of the call")
	}
	j.told = true
	return nil
}

// holds tells which type of part the deltas of an event's type belong to.
var holds = map[string]string{"response.output_text": "output_text", "response.refusal": "refusal", "response.reasoning_summary_text": "summary_text"}

// inside judges an event about a part.
func (j *responseJudge) inside(ev *responseEvent) error {
	stem, step, _ := cutLast(ev.Type)
	switch stem {
	case "response.content_part", "response.reasoning_summary_part":
		if (stem == "response.content_part") != (j.item.Type == "message") {
			return errors.New("not a part of an item of that type")
		}
		return j.bounds(ev, step)
	}
	if j.part == nil || holds[stem] != j.part.Type || j.told {
		return errors.New("no such part is open")
	}
	whole := ev.Text
	if stem == "response.refusal" {
		whole = ev.Refusal
	}
	switch {
	case step == "delta" && ev.Delta != nil && *ev.Delta != "":
		j.said += *ev.Delta
	case step == "done" && whole != nil && *whole == j.said && j.said != "":
		j.told = true
	default:
		return errors.New("a delta of nothing, or not the whole text")
	}
	return nil
}

func cutLast(s string) (before, after string, found bool) {
	i := strings.LastIndexByte(s, '.')
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+1:], true
}

// bounds judges the beginning and the end of a part.
func (j *responseJudge) bounds(ev *responseEvent, step string) error {
	switch {
	case ev.Part == nil:
		return errors.New("there is no part")
	case step == "added" && j.part == nil && ev.Part.Text+ev.Part.Refusal == "":
		j.part, j.said, j.told = ev.Part, "", false
	case step == "done" && j.part != nil && j.told && ev.Part.Type == j.part.Type && ev.Part.Text+ev.Part.Refusal == j.said:
		j.parts, j.part, j.told = append(j.parts, *ev.Part), nil, false
	default:
		return errors.New("not the beginning or the end of a part")
	}
	return nil
}

func (j *responseJudge) itemDone(ev *responseEvent) error {
	var t responseItem
	if err := json.Unmarshal(ev.Item, &t); err != nil {
		return err
	}
	if j.item == nil || j.part != nil || ev.Output == nil || *ev.Output != len(j.done) || t.ID != j.item.ID || t.Type != j.item.Type {
		return errors.New("not the end of the open item")
	}
	if err := j.settle(&t); err != nil {
		return err
	}
	j.last, j.item = t.Status, nil
	j.done = append(j.done, ev.Item)
	return nil
}

// settle compares an item with what its events said, and adds it to the story.
func (j *responseJudge) settle(t *responseItem) error {
	said := t.Content
	switch t.Type {
	case "function_call":
		if !j.told || t.Arguments == nil || *t.Arguments != j.said || t.CallID != j.item.CallID || t.Name != j.item.Name {
			return errors.New("not the call that its events tell")
		}
		j.story.Calls = append(j.story.Calls, conversation.Call{ID: t.CallID, Name: t.Name, Arguments: j.said})
	case "reasoning":
		said = t.Summary
		if len(said) == 0 && t.Sealed == "" {
			return errors.New("a thought of nothing")
		}
		j.story.Proofs += strings.TrimPrefix(strings.TrimPrefix(t.Sealed, "sluice-signature:"), "sluice-sealed:")
	}
	if t.Type != "reasoning" && t.Status != "completed" && t.Status != "incomplete" || len(said) != len(j.parts) || t.Type == "message" && len(said) == 0 {
		return errors.New("not the item that its events tell")
	}
	for i, p := range said {
		if p != j.parts[i] {
			return errors.New("not the part that its events tell")
		}
		if t.Type == "reasoning" {
			j.story.Thought += p.Text
		} else {
			j.story.Spoken += p.Text + p.Refusal
		}
	}
	return nil
}

func (j *responseJudge) end(status string, o *responseObject) error {
	if j.item != nil || o == nil || o.Status != status || (o.Incomplete != nil) != (status == "incomplete") || len(o.Output) != len(j.done) {
		return errors.New("not the end of the response")
	}
	if status == "completed" && j.last == "incomplete" {
		return errors.New("a whole response with an item that is not")
	}
	for i := range o.Output {
		if !bytes.Equal(o.Output[i], j.done[i]) {
			return errors.New("not the output that the events tell")
		}
	}
	j.completed = true
	switch {
	case status == "incomplete":
		stop, ok := map[string]conversation.StopReason{"max_output_tokens": conversation.StopLength, "content_filter": conversation.StopFilter}[o.Incomplete.Reason]
		if !ok {
			return errors.New("unknown reason")
		}
		j.story.Stop = stop
	case len(j.story.Calls) > 0:
		j.story.Stop = conversation.StopTools
	}
	if u := o.Usage; u != nil {
		if u.Total != u.Input+u.Output {
			return errors.New("the usage does not add up")
		}
		j.story.Usage = conversation.Usage{Input: u.Input, Cached: u.In.Cached, CacheWrites: u.In.Writes, Output: u.Output, Thought: u.Out.Thought, Known: true}
	}
	return j.same(o)
}
