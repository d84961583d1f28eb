package sse

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// message is an Event that lasts.
type message struct{ Name, Data string }

// drain reads everything; io.EOF is no error.
func drain(r *Reader) ([]message, error) {
	var out []message
	for {
		ev, err := r.Next()
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		out = append(out, message{string(ev.Name), string(ev.Data)})
	}
}

var streams = []struct {
	name string
	in   string
	want []message
	err  error
}{
	{"line feeds", "data: a\n\ndata: b\n\n", []message{{"", "a"}, {"", "b"}}, nil},
	{"carriage returns and line feeds", "data: a\r\n\r\ndata: [DONE]\r\n\r\n", []message{{"", "a"}, {"", "[DONE]"}}, nil},
	{"carriage returns", "data: a\r\rdata: b\r\r", []message{{"", "a"}, {"", "b"}}, nil},
	{"mixed line ends", "data: a\r\n\ndata: b\n\r\ndata: c\r\r\ndata: d\n\r", []message{{"", "a"}, {"", "b"}, {"", "c"}, {"", "d"}}, nil},
	{"several data lines", "data: a\ndata:\ndata: b\r\ndata:  c\rdata\n\n", []message{{"", "a\n\nb\n c\n"}}, nil},
	{"no space after the colon", "data:a\n\ndata:  b\n\n", []message{{"", "a"}, {"", " b"}}, nil},
	{"a value that holds colons", "data: a:b: c\n\n", []message{{"", "a:b: c"}}, nil},
	{"names", "event: x\ndata: a\n\ndata: b\n\ndata: c\nevent:y\n\n", []message{{"x", "a"}, {"", "b"}, {"y", "c"}}, nil},
	{"the last name counts", "event: x\nevent: longer\nevent\ndata: a\nevent: z\n\n", []message{{"z", "a"}}, nil},
	{"comments", ": ping\n\n: c\ndata: a\n:\n: d\ndata: b\n\n:\n\n", []message{{"", "a\nb"}}, nil},
	{"comment blocks around events", ": OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\ndata: a\n\n: x\n\ndata: [DONE]\n\n", []message{{"", "a"}, {"", "[DONE]"}}, nil},
	{"blocks without data", "retry: 3000\n\nid: 7\n\nevent: x\n\ndata: a\n\n\n\n\r\n\r\r\n\ndata: b\n\n", []message{{"", "a"}, {"", "b"}}, nil},
	{"a block with empty data", "data\n\ndata:\n\nevent: x\ndata: \n\ndata: a\n\n", []message{{"", "a"}}, nil},
	{"other fields", "id: 1\ndata: a\nretry: 1\nfoo: bar\nDATA: b\ndata : c\n data: d\n\n", []message{{"", "a"}}, nil},
	{"a byte order mark", "\xef\xbb\xbfdata: a\n\n\xef\xbb\xbfdata: b\n\ndata: c\n\n", []message{{"", "a"}, {"", "c"}}, nil},
	{"a byte order mark before a blank line", "\xef\xbb\xbf\r\ndata: a\n\n", []message{{"", "a"}}, nil},
	{"characters of several bytes", "data:{\r\ndata: \"x\":\"\u00e9\U0001f600\"}\r\n\r\n: c\r\ndata:[DONE]\r\n\r\n", []message{{"", "{\n\"x\":\"\u00e9\U0001f600\"}"}, {"", "[DONE]"}}, nil},
	{"bytes that are not text", "data: \x00\xff\xfe\n\n", []message{{"", "\x00\xff\xfe"}}, nil},
	{"nothing", "", nil, nil},
	{"only a byte order mark", "\xef\xbb\xbf", nil, nil},
	{"only line ends", "\n\r\n\r\r\n\n", nil, nil},

	{"end in a whole object", "data: a\n\ndata: {\"a\":1}", []message{{"", "a"}, {"", `{"a":1}`}}, nil},
	{"end after the line of a whole object", "data: {\"a\":1}\n", []message{{"", `{"a":1}`}}, nil},
	{"end after a carriage return", "data: {\"a\":1}\r", []message{{"", `{"a":1}`}}, nil},
	{"end in the mark", "data: [DONE]", []message{{"", "[DONE]"}}, nil},
	{"end in the mark with blanks", "data:  [DONE] ", []message{{"", " [DONE] "}}, nil},
	{"end in an object of two lines", "event: x\ndata: {\ndata: }", []message{{"x", "{\n}"}}, nil},
	{"end in a comment after a whole object", "data: {}\n: pi", []message{{"", "{}"}}, nil},
	{"end after a byte order mark and an object", "\xef\xbb\xbfdata: {}", []message{{"", "{}"}}, nil},
	{"end in half an object", "data: a\n\ndata: {\"a\":", []message{{"", "a"}}, ErrTruncated},
	{"end after the line of half an object", "data: {\"a\":\n", nil, ErrTruncated},
	{"end in half the mark", "data: [DON", nil, ErrTruncated},
	{"end in what may be half a number", "data: 12", nil, ErrTruncated},
	{"end in plain text", "data: hello\n", nil, ErrTruncated},
	{"end in the name of the field", "data: {}\n\ndat", []message{{"", "{}"}}, ErrTruncated},
	{"end in a second field", "data: {}\nda", nil, ErrTruncated},
	{"end in a name", "event: mess", nil, ErrTruncated},
	{"end after a name", "event: x\n", nil, nil},
	{"end in a comment", ": ping", nil, nil},
	{"end after empty data", "data:", nil, nil},
}

func TestEventsAreTheSameHoweverTheStreamIsCut(t *testing.T) {
	for _, c := range streams {
		t.Run(c.name, func(t *testing.T) {
			for cut := 0; cut <= len(c.in); cut++ {
				src := io.MultiReader(strings.NewReader(c.in[:cut]), strings.NewReader(c.in[cut:]))
				checkDrain(t, fmt.Sprintf("%q cut at %d", c.in, cut), src, c.want, c.err)
			}
			checkDrain(t, fmt.Sprintf("%q byte by byte", c.in), iotest.OneByteReader(strings.NewReader(c.in)), c.want, c.err)
			checkDrain(t, fmt.Sprintf("%q with data and EOF at once", c.in), iotest.DataErrReader(strings.NewReader(c.in)), c.want, c.err)
		})
	}
}

func checkDrain(t *testing.T, what string, src io.Reader, want []message, wantErr error) {
	t.Helper()
	r := NewReader(src, 0)
	got, err := drain(r)
	if diff := cmp.Diff(want, got); diff != "" || err != wantErr {
		t.Errorf("%s: error %v, want %v; events (-want +got):\n%s", what, err, wantErr, diff)
	}
	if _, again := r.Next(); again == nil || (err != nil && again != err) {
		t.Errorf("%s: the next call after the end gave %v, want the same again", what, again)
	}
}

func TestASourcesErrorIsNotTakenForTheEnd(t *testing.T) {
	reset := errors.New("connection reset")
	for _, in := range []string{"", "data: a\n\n", "data: a\n\ndata: [DONE]\n", "data: a\n\ndata: {}"} {
		src := io.MultiReader(strings.NewReader(in), iotest.ErrReader(reset))
		got, err := drain(NewReader(src, 0))
		if err != reset {
			t.Errorf("%q then a reset: got error %v, want %v", in, err, reset)
		}
		if whole := strings.Count(in, "\n\n"); len(got) != whole {
			t.Errorf("%q then a reset: got %v, want the %d whole events", in, got, whole)
		}
	}
}

func TestASourceThatGivesNothingEndsTheStream(t *testing.T) {
	if _, err := NewReader(silent{}, 0).Next(); err != io.ErrNoProgress {
		t.Errorf("got %v, want %v", err, io.ErrNoProgress)
	}
}

type silent struct{}

func (silent) Read([]byte) (int, error) { return 0, nil }

func TestTheLimitHoldsHoweverTheStreamIsCut(t *testing.T) {
	const limit = 2000
	long := func(n int) string { return strings.Repeat("x", n) }
	for _, c := range []struct {
		name, in string
		ok       bool
	}{
		{"data of the limit", "data: " + long(limit) + "\n\n", true},
		{"data over the limit", "data: " + long(limit+1) + "\n\n", false},
		{"data over the limit without a space", "data:" + long(limit+1) + "\n\n", false},
		{"lines that are together at the limit", "data: " + long(limit-11) + "\ndata: " + long(10) + "\n\n", true},
		{"lines that are together over the limit", "data: " + long(limit-10) + "\ndata: " + long(10) + "\n\n", false},
		{"very many lines", "data: a\n" + strings.Repeat("data:\n", limit) + "\n", false},
		{"a comment that never ends", ":" + long(limit*10), false},
		{"many comments", strings.Repeat(": "+long(500)+"\n", 100) + "data: a\n\n", true},
		{"many comments inside an event", "data: a\n" + strings.Repeat(": "+long(500)+"\n", 100) + "\n", true},
		{"many events", strings.Repeat("data: "+long(limit)+"\n\n", 20), true},
		{"a line without an end", "data: " + long(limit*10), false},
		{"a long name", "event: " + long(maxName+1) + "\ndata: a\n\n", false},
	} {
		for _, size := range []int{1, 7, 512, 4096, 1 << 20} {
			r := NewReader(&pieces{[]byte(c.in), size}, limit)
			_, err := drain(r)
			if c.ok && err != nil || !c.ok && err != ErrTooLarge {
				t.Errorf("%s, %d bytes at a time: got %v, want ok %t", c.name, size, err, c.ok)
			}
			if got, most := len(r.buf), r.maxSize(); got > most {
				t.Errorf("%s: the buffer grew to %d bytes, want at most %d", c.name, got, most)
			}
		}
	}
}

// pieces gives n bytes at a time.
type pieces struct {
	b []byte
	n int
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.b) == 0 {
		return 0, io.EOF
	}
	n := copy(b[:min(len(b), p.n)], p.b)
	p.b = p.b[n:]
	return n, nil
}

func TestALargeEventIsReadWholeAndItsMemoryGivenBack(t *testing.T) {
	large := bytes.Repeat([]byte("a"), 70_000)
	src := append(AppendEvent(nil, nil, large), "data: [DONE]\n\n"...)
	after := strings.NewReader("data: a\n\n")
	r := NewReader(io.MultiReader(bytes.NewReader(src), after), 0)
	ev, err := r.Next()
	if err != nil || !bytes.Equal(ev.Data, large) {
		t.Fatalf("got %d bytes and %v, want %d bytes", len(ev.Data), err, len(large))
	}
	if ev, err = r.Next(); err != nil || string(ev.Data) != "[DONE]" {
		t.Fatalf("got %q and %v, want [DONE]", ev.Data, err)
	}
	if _, err := r.Next(); err != nil {
		t.Fatal(err)
	}
	if len(r.buf) > keepSize {
		t.Errorf("the buffer still has %d bytes after the large event, want at most %d", len(r.buf), keepSize)
	}
}

func TestAClosedReaderLetsGoOfItsBufferOnce(t *testing.T) {
	r := NewReader(strings.NewReader("data: a\n\n"), 0)
	if _, err := r.Next(); err != nil {
		t.Fatal(err)
	}
	r.Close()
	r.Close()
	if ev, err := r.Next(); err == nil {
		t.Errorf("got %q from a closed reader, want an error", ev.Data)
	}
	if !r.Buffered() {
		t.Error("Buffered is false for a closed reader, whose error is at hand")
	}
	a, b := NewReader(strings.NewReader(""), 0), NewReader(strings.NewReader(""), 0)
	defer a.Close()
	defer b.Close()
	if &a.buf[0] == &b.buf[0] {
		t.Error("two readers share the buffer of a reader that was closed twice")
	}
}
