package chat

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/sluice-gateway/sluice/proxy/conversation"
)

func TestAnObjectEndsWithItsLastBracketHoweverItIsCut(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, " ": false, "{": false, "{}": true, " {} ": true, `{"a":"}"}`: true, `{"a":"}`: false, `{"a":"\"}"}`: true, `{"a":"\\"}`: true,
		`{"a":[{}]`: false, `{"a":[{}]}`: true, "[]": false, `"x"`: false, "1": false,
	} {
		for cut := range len(text) + 1 {
			var e extent
			e.add(text[:cut])
			e.add(text[cut:])
			if e.whole() != want {
				t.Errorf("%q cut at %d: got %t, want %t", text, cut, e.whole(), want)
			}
		}
	}
}

func TestWhatWaitsIsBounded(t *testing.T) {
	const room = 16 << 10
	piece := strings.Repeat("a", 1<<10)
	for name, chunk := range map[string]string{
		"arguments":     `{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"b","function":{"name":"g","arguments":"` + piece + `"}}]}}]}`,
		"text":          `{"choices":[{"index":0,"delta":{"content":"` + piece + `"}}]}`,
		"many calls":    `{"choices":[{"index":0,"delta":{"tool_calls":[` + strings.Repeat(`{"function":{"name":"g"}},`, 10) + `{}]}}]}`,
		"calls' names ": `{"choices":[{"index":0,"delta":{"tool_calls":[{"index":2,"id":"` + piece + `"}]}}]}`,
	} {
		d := &decoder{c: New(nil, nil), room: room}
		feed := func(data string) (n int, err error) {
			events, _, err := d.Decode(nil, nil, []byte(data))
			for _, e := range events {
				n += len(e.Delta)
			}
			return n, err
		}
		if _, err := feed(`{"id":"x","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{"}}]}}]}`); err != nil {
			t.Fatal(err)
		}
		var err error
		for range 20 {
			if _, err = feed(chunk); err != nil {
				break
			}
		}
		if !errors.Is(err, errWaiting) {
			t.Errorf("%s: got %v, want %v", name, err, errWaiting)
		}
		if events, over, again := d.Decode(nil, nil, []byte("[DONE]")); len(events) > 0 || over || again == nil {
			t.Errorf("%s: after the fault got %v, over %t, %v", name, events, over, again)
		}
	}
}

func TestALongAnswerDoesNotWait(t *testing.T) {
	d := &decoder{c: New(nil, nil), room: 2 << 10}
	piece := strings.Repeat("a", 1<<10)
	var total int
	for i := range 20 {
		events, _, err := d.Decode(nil, nil, fmt.Appendf(nil, `{"id":"x","choices":[{"index":0,"delta":{"content":%q}}]}`, piece))
		if err != nil {
			t.Fatalf("chunk %d: %v", i, err)
		}
		for _, e := range events {
			if e.Kind == conversation.Delta {
				total += len(e.Delta)
			}
		}
	}
	if want := 20 << 10; total != want {
		t.Errorf("got %d bytes, want %d", total, want)
	}
}

func TestAnErrorThatSaysNothingIsNone(t *testing.T) {
	for fault, want := range map[string]error{`""`: nil, "{}": nil, "[]": nil, "false": nil, "null": nil, `"x"`: errFailed, `{"message":"x"}`: errFailed, "true": errFailed} {
		_, _, err := New(nil, nil).NewDecoder().Decode(nil, nil, []byte(`{"id":"x","choices":[{"index":0,"delta":{"content":"a"}}],"error":`+fault+`}`))
		if !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", fault, err, want)
		}
	}
}
