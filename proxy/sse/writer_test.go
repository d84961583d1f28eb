package sse

import "testing"

func TestEventsAreWrittenWithLineFeeds(t *testing.T) {
	for _, c := range []struct{ name, data, want string }{
		{"", `{"a":1}`, "data: {\"a\":1}\n\n"},
		{"x", "a", "event: x\ndata: a\n\n"},
		{"x\r\ny", "a", "event: x\ndata: a\n\n"},
		{"\n", "a", "data: a\n\n"},
		{"", "a\nb\r\nc\rd", "data: a\ndata: b\ndata: c\ndata: d\n\n"},
		{"", "\n", "data: \ndata: \n\n"},
		{"", " a", "data:  a\n\n"},
		{"", "a\r\n\r\n", "data: a\ndata: \ndata: \n\n"},
		{"x", "", ""},
	} {
		if got := string(AppendEvent([]byte("before "), []byte(c.name), []byte(c.data))); got != "before "+c.want {
			t.Errorf("name %q, data %q: got %q, want %q", c.name, c.data, got, "before "+c.want)
		}
	}
}

func TestACommentIsOneLineWithoutABlankOne(t *testing.T) {
	for text, want := range map[string]string{"ping": ": ping\n", "": ": \n", "a\r\n\ndata: b": ": a   data: b\n"} {
		if got := string(AppendComment(nil, text)); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
