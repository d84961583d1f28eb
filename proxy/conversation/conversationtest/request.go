package conversationtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/sluice-gateway/sluice/proxy/conversation"
)

// MessagesRequest tells what in a body breaks a rule of the messages dialect that a translation can keep, whatever it
// was given.
func MessagesRequest(body []byte) error {
	var r struct {
		MaxTokens int64 `json:"max_tokens"`
		System    []messageBlock
		Messages  []struct {
			Role    string
			Content []messageBlock
		}
		Tools      []json.RawMessage
		ToolChoice json.RawMessage `json:"tool_choice"`
		Stop       []string        `json:"stop_sequences"`
		Thinking   *struct {
			Budget int64 `json:"budget_tokens"`
		}
		Temperature *float64
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return err
	}
	switch {
	case r.MaxTokens < 1:
		return errors.New("there is no max_tokens")
	case r.ToolChoice != nil && r.Tools == nil:
		return errors.New("a tool_choice without tools")
	case r.Temperature != nil && (*r.Temperature > 1 || r.Thinking != nil):
		return errors.New("a temperature above 1, or beside thinking")
	case r.Thinking != nil && r.Thinking.Budget != 0 && (r.Thinking.Budget < 1024 || r.Thinking.Budget >= r.MaxTokens):
		return errors.New("a budget below 1,024, or not below max_tokens")
	case len(r.Messages) == 0 || r.Messages[len(r.Messages)-1].Role != "user":
		return errors.New("the user does not have the last word")
	}
	for _, s := range r.Stop {
		if strings.TrimSpace(s) == "" {
			return errors.New("a stop sequence of white space")
		}
	}
	for i := range r.System {
		if err := r.System[i].check("system", false); err != nil {
			return err
		}
	}
	for i, m := range r.Messages {
		if i > 0 && r.Messages[i-1].Role == m.Role || len(m.Content) == 0 {
			return fmt.Errorf("turn %d is of the role of the one before, or empty", i)
		}
		for k := range m.Content {
			if err := m.Content[k].check(m.Role, k > 0 && m.Content[k-1].Type != "tool_result"); err != nil {
				return fmt.Errorf("turn %d, block %d: %w", i, k, err)
			}
		}
	}
	return nil
}

// messageBlock is a block of a request.
type messageBlock struct {
	Type, Text, ID, Name, Signature, Data string
	Input                                 map[string]json.RawMessage
	CallID                                string `json:"tool_use_id"`
	Content                               []messageBlock
}

// check judges a block of a turn of that role. late: something else than results stands before it.
func (b *messageBlock) check(role string, late bool) error {
	roles := map[string]string{"image": "user", "document": "user", "tool_result": "user", "tool_use": "assistant", "thinking": "assistant", "redacted_thinking": "assistant"}
	if of, known := roles[b.Type]; known && of != role || !known && b.Type != "text" {
		return fmt.Errorf("a %s in a turn of %s", b.Type, role)
	}
	switch b.Type {
	case "text":
		if strings.TrimSpace(b.Text) == "" {
			return errors.New("an empty text")
		}
	case "thinking":
		if b.Signature == "" {
			return errors.New("a thought without a signature")
		}
	case "tool_use":
		if b.Input == nil || !conversation.ToolName(b.ID, len(b.ID)) && b.ID != "" {
			return errors.New("an input that is no object, or an odd id")
		}
	case "tool_result":
		if late {
			return errors.New("a result behind other blocks")
		}
		for i := range b.Content {
			if err := b.Content[i].check("user", true); err != nil {
				return err
			}
		}
	}
	return nil
}

// ChatRequest is MessagesRequest for the chat dialect.
func ChatRequest(body []byte) error {
	var r struct {
		Messages []struct {
			Role, Refusal string
			Content       json.RawMessage
			CallID        *string                                         `json:"tool_call_id"`
			Calls         []struct{ Function struct{ Arguments string } } `json:"tool_calls"`
		}
		Tools      []json.RawMessage
		ToolChoice json.RawMessage `json:"tool_choice"`
		Parallel   *bool           `json:"parallel_tool_calls"`
		Stop       []string
		Format     struct {
			Schema *struct{ Name string } `json:"json_schema"`
		} `json:"response_format"`
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return err
	}
	switch {
	case (r.ToolChoice != nil || r.Parallel != nil) && r.Tools == nil:
		return errors.New("a choice of tools without any")
	case len(r.Stop) > 4:
		return errors.New("more than 4 stop texts")
	case r.Format.Schema != nil && r.Format.Schema.Name == "":
		return errors.New("a schema without a name")
	}
	for i, m := range r.Messages {
		null := len(m.Content) == 0 || string(m.Content) == "null"
		switch {
		case m.Role == "system" && i > 0:
			return fmt.Errorf("message %d: instructions behind the first place", i)
		case null && (m.Role != "assistant" || len(m.Calls) == 0 && m.Refusal == ""):
			return fmt.Errorf("message %d has no content", i)
		case (m.Role == "tool") != (m.CallID != nil):
			return fmt.Errorf("message %d: an answer to no call, or not by a tool", i)
		case m.Role == "tool" && i > 0 && r.Messages[i-1].Role == "user":
			return fmt.Errorf("message %d: a result behind words of the user's", i)
		}
		for _, c := range m.Calls {
			if c.Function.Arguments == "" {
				return fmt.Errorf("message %d: a call without arguments", i)
			}
		}
	}
	return nil
}

// ResponsesRequest is MessagesRequest for the responses dialect.
func ResponsesRequest(body []byte) error {
	var r struct {
		Input     []responseInput
		MaxTokens *int64 `json:"max_output_tokens"`
		Tools     []struct {
			Type, Name string
			Parameters map[string]json.RawMessage
			Strict     *bool
		}
		ToolChoice json.RawMessage `json:"tool_choice"`
		Parallel   *bool           `json:"parallel_tool_calls"`
		Stop       json.RawMessage
		Store      *bool
		Text       struct {
			Format *struct{ Type, Name string }
		}
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return err
	}
	switch {
	case r.Store == nil || *r.Store || r.Stop != nil:
		return errors.New("it is to be stored, or has stop texts")
	case r.MaxTokens != nil && *r.MaxTokens < 16:
		return errors.New("a max_output_tokens below 16")
	case (r.ToolChoice != nil || r.Parallel != nil) && r.Tools == nil:
		return errors.New("a choice of tools without any")
	case r.Text.Format != nil && r.Text.Format.Type == "json_schema" && r.Text.Format.Name == "":
		return errors.New("a schema without a name")
	case len(r.Input) == 0 || r.Input[len(r.Input)-1].Role == "assistant" || r.Input[len(r.Input)-1].Type == "function_call":
		return errors.New("the user does not have the last word")
	}
	for i, t := range r.Tools {
		if t.Type != "function" || t.Name == "" || t.Parameters == nil || t.Strict == nil {
			return fmt.Errorf("tool %d is no function with parameters, strict or not", i)
		}
	}
	for i := range r.Input {
		if err := r.Input[i].check(i > 0 && r.Input[i-1].Role == "user"); err != nil {
			return fmt.Errorf("item %d: %w", i, err)
		}
	}
	return nil
}

// responseInput is an item of a request.
type responseInput struct {
	Type, Role, Name string
	CallID           *string `json:"call_id"`
	Arguments        string
	Content, Output  json.RawMessage
}

// check judges an item. behindUser: it stands behind words of the user's.
func (t *responseInput) check(behindUser bool) error {
	switch {
	case t.Type == "message" && (t.Role == "user" || t.Role == "assistant"):
		return t.parts(t.Content)
	case t.Type == "function_call" && t.CallID != nil && t.Name != "" && t.Arguments != "":
		return nil
	case t.Type == "function_call_output" && t.CallID != nil && !behindUser:
		return t.parts(t.Output)
	}
	return errors.New("no item of this dialect, or a result behind words of the user's")
}

// parts judges a content, which is a string or not empty.
func (t *responseInput) parts(content json.RawMessage) error {
	var parts []responsePart
	if json.Unmarshal(content, new(string)) == nil {
		return nil
	}
	if err := json.Unmarshal(content, &parts); err != nil || len(parts) == 0 {
		return fmt.Errorf("no content: %w", err)
	}
	for _, p := range parts {
		model := p.Type == "output_text" || p.Type == "refusal"
		if model != (t.Role == "assistant") {
			return fmt.Errorf("a %s in a %s of %s", p.Type, t.Type, t.Role)
		}
	}
	return nil
}
