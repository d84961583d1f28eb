package token

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// outline consumes the next value token by token and writes it with its names and scalars as they are spelled.
func outline(r *Reader, out *strings.Builder) {
	switch r.Kind() {
	case '{':
		out.WriteByte('{')
		for name := range r.Members {
			out.Write(name)
			out.WriteByte('=')
			outline(r, out)
			out.WriteByte(' ')
		}
		out.WriteByte('}')
	case '[':
		out.WriteByte('[')
		for range r.Elements {
			outline(r, out)
			out.WriteByte(' ')
		}
		out.WriteByte(']')
	default:
		out.Write(r.Value())
	}
}

func TestATextIsReadAsItIsSpelled(t *testing.T) {
	for in, want := range map[string]string{
		`{}`: `{}`, ` [ ] `: `[]`, `{"a":{"b":[1,"x",[null]]},"c":true}`: `{"a"={"b"=[1 "x" [null ] ] } "c"=true }`,
		"\t{ \"a\" :\r\n1.0 , \"a\" : 1e400 }":   `{"a"=1.0 "a"=1e400 }`,
		`{"\u0061":"\ud800"}`:                    `{"\u0061"="\ud800" }`,
		"[\"\xff\",-0]":                          "[\"\xff\" -0 ]",
		`"` + strings.Repeat("long ", 100) + `"`: `"` + strings.Repeat("long ", 100) + `"`,
	} {
		r := Open([]byte(in))
		var got strings.Builder
		outline(r, &got)
		if got.String() != want || !r.End() || r.Err() != nil {
			t.Errorf("%q: got %s, end %t, error %v; want %s", in, got.String(), r.End(), r.Err(), want)
		}
		r.Close()
	}
}

func TestAValueOfAnotherKindIsConsumedWhole(t *testing.T) {
	r := Open([]byte(`[{"a":1},[2],"x",3]`))
	defer r.Close()
	var rest []string
	for range r.Elements {
		switch len(rest) {
		case 0:
			for range r.Elements {
				t.Error("the object has elements")
			}
			rest = append(rest, "object")
		case 1:
			for name := range r.Members {
				t.Errorf("the array has the member %s", name)
			}
			rest = append(rest, "array")
		default:
			rest = append(rest, string(r.Value()))
		}
	}
	if got, want := strings.Join(rest, " "), `object array "x" 3`; got != want || !r.End() {
		t.Errorf("got %s, end %t; want %s and the end", got, r.End(), want)
	}
}

func TestNothingIsFoundBehindAFault(t *testing.T) {
	for _, in := range []string{
		``, ` `, `{`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `{"a" 1}`, `{a:1}`, `{1:1}`, `{,}`, `{"a":1]`, `{"a":[1,x]}`, `{"a":{"b":01}}`,
		`[`, `[1`, `[1,`, `[1,]`, `[1 2]`, `[}`, `[1}`, `[,1]`, `[tru]`, "[\"\n\"]", `["\x"]`, `["\u12"]`, `-`, `nul`, `}`, `]`, `,`, "\x00",
		strings.Repeat("[", 20_000), strings.Repeat(`{"a":`, 20_000),
	} {
		r := Open([]byte(in))
		outline(r, new(strings.Builder))
		if r.Err() == nil || r.End() {
			t.Errorf("%.40q: got error %v, end %t; want an error and no end", in, r.Err(), r.End())
		}
		for range r.Elements {
			t.Errorf("%.40q: an element behind the fault", in)
		}
		for range r.Members {
			t.Errorf("%.40q: a member behind the fault", in)
		}
		if k, v := r.Kind(), r.Value(); k != 0 || v != nil {
			t.Errorf("%.40q: got kind %v and value %s behind the fault", in, k, v)
		}
		r.Close()
	}
}

func TestAFaultTellsWhereItIs(t *testing.T) {
	for in, want := range map[string]string{
		``: "EOF", `{"a":[1,2`: "unexpected EOF", `{"a":[1,x]}`: "byte 8", `{"a":1]`: "byte 6",
	} {
		r := Open([]byte(in))
		for range r.Members {
			r.Value()
		}
		var syntax *jsontext.SyntacticError
		got := fmt.Sprint(r.Err())
		switch {
		case errors.Is(r.Err(), io.ErrUnexpectedEOF):
			got = io.ErrUnexpectedEOF.Error()
		case errors.As(r.Err(), &syntax):
			got = fmt.Sprintf("byte %d", syntax.ByteOffset)
		}
		if got != want {
			t.Errorf("%q: got %s, want %s", in, got, want)
		}
		r.Close()
	}
}

func TestWhatStandsBehindAValueIsNotTheEnd(t *testing.T) {
	for in, want := range map[string]bool{`{"a":1}`: true, "{} \r\n\t": true, `{}x`: false, `{} {}`: false, `{},`: false, "{}\x00": false, "{}\v": false} {
		r := Open([]byte(in))
		r.Value()
		if got := r.End(); got != want {
			t.Errorf("%q: got %t, want %t", in, got, want)
		}
		r.Close()
	}
}

func TestOffsetsPointIntoTheText(t *testing.T) {
	const in = ` {"a" : [1, 2] , "b":"x" }`
	r := Open([]byte(in))
	defer r.Close()
	var got []string
	for name := range r.Members {
		from := r.Offset() - len(name)
		r.Value()
		got = append(got, in[from:r.Offset()])
	}
	if want := `"a" : [1, 2]|"b":"x"`; strings.Join(got, "|") != want {
		t.Errorf("got %s, want %s", strings.Join(got, "|"), want)
	}
}

func TestAReaderThatIsUsedAgainAllocatesNothing(t *testing.T) {
	text := []byte(`{"choices":[{"delta":{"content":"Hello"}}],"usage":null}`)
	read := func() {
		r := Open(text)
		for name := range r.Members {
			Text(name)
			for range r.Elements {
				r.Value()
			}
		}
		r.Close()
	}
	least := testing.AllocsPerRun(1, read)
	for range 50 { // in any of them, the pool may lose the reader
		least = min(least, testing.AllocsPerRun(1, read))
	}
	if least != 0 {
		t.Errorf("got %v allocations, want 0", least)
	}
}
