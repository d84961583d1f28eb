package truth

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// ReadWhole takes an answer that is one JSON object. An error says that it is not exactly what an upstream
// said to the request of that id.
func ReadWhole(id string, body []byte) (Answer, error) {
	var w struct {
		Model   string
		Choices []struct{ Message struct{ Content string } }
	}
	if err := json.Unmarshal(body, &w); err != nil {
		return Answer{}, fmt.Errorf("decode answer: %w", err)
	}
	if len(w.Choices) != 1 {
		return Answer{}, fmt.Errorf("answer has %d choices, want 1", len(w.Choices))
	}
	a, err := identify(w.Choices[0].Message.Content)
	if err != nil {
		return a, err
	}
	a.Model = w.Model
	if a.ID != id {
		return a, fmt.Errorf("answer to %s, want to %s", a.ID, id)
	}
	if want := a.Whole(); !bytes.Equal(body, want) {
		return a, fmt.Errorf("got answer %s, want %s", clip(body), clip(want))
	}
	return a, nil
}

// Stream checks the events of one stream as they come. The zero value of the unexported fields is its start.
type Stream struct {
	// ID is the request's, and Usage tells whether it asked for token counts.
	ID    string
	Usage bool

	// Answer is whose words came, known from the first word on.
	Answer Answer
	// Words is how many words have come, and Noise how many events that were no JSON.
	Words, Noise int
	// Finished and Done tell whether the events that end the words and the stream have come.
	Finished, Done bool

	role, counted bool
	first         []byte // the role event, until the first word tells whose it is
}

// Event takes the next event. An error says that it is not the one that must follow.
func (s *Stream) Event(data []byte) error {
	switch {
	case s.Done:
		return fmt.Errorf("event %s after the end", clip(data))
	case string(data) == Done:
		return s.end()
	case s.Words == 0 && !s.role && !s.isWord(data):
		s.role, s.first = true, bytes.Clone(data)
		return nil
	case s.Words == 0:
		return s.begin(data)
	}
	return s.next(data)
}

func (s *Stream) isWord(data []byte) bool {
	return bytes.Contains(data, []byte(`"delta":{"content":"`))
}

// begin takes the first word, and the role event that may have stood before it.
func (s *Stream) begin(data []byte) error {
	var w struct {
		Model   string
		Choices []struct{ Delta struct{ Content string } }
	}
	if err := json.Unmarshal(data, &w); err != nil || len(w.Choices) != 1 {
		return fmt.Errorf("first event with content is %s", clip(data))
	}
	var err error
	if s.Answer, err = identify(w.Choices[0].Delta.Content); err != nil {
		return err
	}
	s.Answer.Model = w.Model
	if s.Answer.ID != s.ID {
		return fmt.Errorf("answer to %s, want to %s", s.Answer.ID, s.ID)
	}
	if s.role && !bytes.Equal(s.first, s.Answer.Role(s.Usage)) {
		return fmt.Errorf("got first event %s, want %s", clip(s.first), clip(s.Answer.Role(s.Usage)))
	}
	return s.next(data)
}

// next takes what may come once the first word has told whose answer it is.
func (s *Stream) next(data []byte) error {
	a := s.Answer
	want := a.Finish(s.Usage)
	switch {
	case s.Words < a.Words:
		want = a.Word(s.Words, s.Usage)
	case s.Finished && s.Usage && !s.counted:
		want = a.Usage()
	}
	switch {
	case bytes.Equal(data, a.Noise()):
		s.Noise++
		return nil
	case !bytes.Equal(data, want):
		return fmt.Errorf("after %d of %d words got event %s, want %s", s.Words, a.Words, clip(data), clip(want))
	case s.Words < a.Words:
		s.Words++
	case !s.Finished:
		s.Finished = true
	case s.Usage && !s.counted:
		s.counted = true
	default:
		return fmt.Errorf("event %s twice", clip(data))
	}
	return nil
}

func (s *Stream) end() error {
	if !s.Finished || s.Usage && !s.counted {
		return fmt.Errorf("end after %d of %d words, finished %v, usage %v", s.Words, s.Answer.Words, s.Finished, s.counted)
	}
	s.Done = true
	return nil
}

// clip shortens what a message shows.
func clip(b []byte) string {
	const most = 300
	if len(b) <= most {
		return string(b)
	}
	return fmt.Sprintf("%s... (%d bytes)", b[:most], len(b))
}
