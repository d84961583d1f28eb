package sse

import (
	"io"
	"strings"
	"testing"
)

// reads gives one element a read, counts them and never ends.
type reads struct {
	t     *testing.T
	parts []string
	count int
}

func (r *reads) Read(b []byte) (int, error) {
	if r.count == len(r.parts) {
		r.t.Fatal("read beyond the last part: a real source would have blocked here")
	}
	n := copy(b, r.parts[r.count])
	r.count++
	return n, nil
}

func TestBufferedTellsExactlyWhenNextWillNotRead(t *testing.T) {
	for _, c := range []struct {
		parts []string
		want  []bool // after each event
	}{
		{[]string{"data: a\n\ndata: b\n\ndata: c\n\n"}, []bool{true, true, false}},
		{[]string{"data: a\n\n: ping\n\n"}, []bool{false}},
		{[]string{"data: a\n\nevent: x\n\nretry: 1\n\ndata:\n\n"}, []bool{false}},
		{[]string{"data: a\n\ndata: b\n", "\n"}, []bool{false, false}},
		{[]string{"data: a\n\ndata: b\r\n", "\r\ndata: c\n\n"}, []bool{false, true, false}},
		{[]string{"data: a\r\n\r\n\r\n"}, []bool{false}},
		{[]string{"data: a\n\ndata: b", "\n\n: x\n\n: y\n\n"}, []bool{false, false}},
		{[]string{"event: one\ndata: a\n\nevent: two\ndata: b\ndata: c\n\n"}, []bool{true, false}},
	} {
		src := &reads{t: t, parts: c.parts}
		r := NewReader(src, 0)
		for i, want := range c.want {
			ev, err := r.Next()
			if err != nil {
				t.Fatalf("%q: event %d: %v", c.parts, i, err)
			}
			before := message{string(ev.Name), string(ev.Data)}
			if got := r.Buffered(); got != want {
				t.Errorf("%q: after event %d got %t, want %t", c.parts, i, got, want)
			}
			if after := (message{string(ev.Name), string(ev.Data)}); after != before {
				t.Errorf("%q: Buffered changed the event from %v to %v", c.parts, before, after)
			}
		}
	}
}

func TestALoneCarriageReturnDelaysNothing(t *testing.T) {
	src := &reads{t: t, parts: []string{"data: a\r\r", "\ndata: b\r\n\r", "\n", "data: c\r\n\r"}}
	r := NewReader(src, 0)
	for i, want := range []string{"a", "b", "c"} {
		ev, err := r.Next()
		if err != nil || string(ev.Data) != want {
			t.Fatalf("event %d: got %q and %v, want %q", i, ev.Data, err, want)
		}
		if r.Buffered() {
			t.Fatalf("after event %d: Buffered says that there is more", i)
		}
	}
}

func TestBufferedIsTrueForAnErrorAtHand(t *testing.T) {
	for _, in := range []string{"data: a\n\n", "data: a\n\ndata: {", "data: a\n\ndata: {}"} {
		r := NewReader(&endsAtOnce{in}, 0)
		if _, err := r.Next(); err != nil {
			t.Fatal(err)
		}
		if !r.Buffered() {
			t.Errorf("%q, read together with its end: got false, want true", in)
		}
	}
}

// endsAtOnce gives everything together with io.EOF.
type endsAtOnce struct{ s string }

func (e *endsAtOnce) Read(b []byte) (int, error) {
	n := copy(b, e.s)
	e.s = e.s[n:]
	return n, io.EOF
}

func TestManyShortLinesAreNotSearchedAgainAndAgain(t *testing.T) {
	// One LF far behind a million CR: a search that starts anew for each line would take minutes.
	in := strings.Repeat("data:x\r", 1<<20) + "\n\n"
	ev, err := NewReader(strings.NewReader(in), 0).Next()
	if want := 2<<20 - 1; err != nil || len(ev.Data) != want {
		t.Errorf("got %d bytes and %v, want %d", len(ev.Data), err, want)
	}
}
