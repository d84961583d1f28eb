package messages

import "testing"

const (
	start = `{"type":"message_start","message":{"id":"msg_1","model":"m"}}`
	ended = `{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`
)

func TestEventsThatAreNotKnownSayNothing(t *testing.T) {
	for _, unknown := range []string{`{"type":"note","message":"hello"}`, `{"type":"vendor.text.delta","delta":"abc"}`, `{"type":"note","usage":"much","index":"first"}`, `{}`} {
		d := New(nil).NewDecoder()
		for _, data := range []string{start, unknown, ended} {
			if _, _, err := d.Decode(nil, nil, []byte(data)); err != nil {
				t.Errorf("%s: %v", unknown, err)
			}
		}
	}
}

func TestAnEventWithoutATypeIsOfItsName(t *testing.T) {
	d, over := New(nil).NewDecoder(), false
	for _, e := range [][2]string{{"message_start", `{"message":{"id":"msg_1"}}`}, {"message_delta", `{"delta":{"endedreason":"end_turn"}}`}, {"message_stop", `{}`}} {
		events, done, err := d.Decode(nil, []byte(e[0]), []byte(e[1]))
		if err != nil || len(events) == 0 {
			t.Fatalf("%s: got %v and %v", e[0], events, err)
		}
		over = done
	}
	if !over {
		t.Error("the stream is not over")
	}
}
