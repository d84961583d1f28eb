package sse

import (
	"bytes"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// reference reads a whole stream in the plainest way there is; its end is left out.
func reference(in string) (out []message) {
	in = strings.TrimPrefix(in, "\xef\xbb\xbf")
	lines := strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(in), "\n")
	var name string
	var data []string
	for _, line := range lines[:len(lines)-1] {
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "":
			if joined := strings.Join(data, "\n"); joined != "" {
				out = append(out, message{name, joined})
			}
			name, data = "", nil
		case field == "data":
			data = append(data, value)
		case field == "event":
			name = value
		}
	}
	return out
}

func FuzzReader(f *testing.F) {
	for _, c := range streams {
		f.Add(c.in, uint16(3))
	}
	f.Fuzz(func(t *testing.T, in string, cut uint16) {
		if strings.Contains(in, strings.Repeat("e", maxName)) || len(in) > maxName {
			t.Skip("the reference has no limits")
		}
		got, err := drain(NewReader(strings.NewReader(in), 0))
		bytewise, errBytewise := drain(NewReader(iotest.OneByteReader(strings.NewReader(in)), 0))
		if diff := cmp.Diff(got, bytewise); diff != "" || err != errBytewise {
			t.Fatalf("%q: errors %v and, byte by byte, %v; events (-whole +bytes):\n%s", in, err, errBytewise, diff)
		}
		cutUp, errCut := drain(NewReader(&pieces{[]byte(in), int(cut%9) + 1}, 0))
		if diff := cmp.Diff(got, cutUp); diff != "" || err != errCut {
			t.Fatalf("%q: errors %v and, in pieces, %v; events (-whole +pieces):\n%s", in, err, errCut, diff)
		}
		want := reference(in)
		if len(got) == len(want)+1 && err == nil {
			got = got[:len(want)] // what had no blank line and was whole
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("%q: events (-want +got):\n%s", in, diff)
		}
	})
}

func FuzzRoundTrip(f *testing.F) {
	f.Add([]byte("x"), []byte("a\nb\r\nc\rd\n"), uint8(3))
	f.Add([]byte(""), []byte(": x\n\ndata: y"), uint8(1))
	f.Add([]byte("\xef\xbb\xbf"), []byte("\xef\xbb\xbf"), uint8(2))
	f.Fuzz(func(t *testing.T, name, data []byte, n uint8) {
		if len(name) > maxName {
			t.Skip()
		}
		want := message{string(firstLine(name)), strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(data))}
		stream := AppendComment(nil, "start")
		for range n {
			stream = AppendComment(AppendEvent(stream, name, data), string(data))
		}
		got, err := drain(NewReader(bytes.NewReader(stream), 0))
		if err != nil || (len(data) > 0 && len(got) != int(n)) || (len(data) == 0 && len(got) != 0) {
			t.Fatalf("%q: got %d events and %v, want %d", stream, len(got), err, n)
		}
		for _, m := range got {
			if m != want {
				t.Fatalf("%q: got %q, want %q", stream, m, want)
			}
		}
	})
}
