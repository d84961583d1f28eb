package envelope

import (
	"bytes"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"unsafe"
	"weak"

	"github.com/sluice-gateway/sluice/core"
)

func TestOnlyTheModelChanges(t *testing.T) {
	for _, c := range []struct{ in, model, want string }{
		{`{"model":"m"}`, "vendor/b", `{"model":"vendor/b"}`},
		{`{"model":"m","enable_thinking":false,"x_vendor":{"a":[1,null]},"messages":[]}`, "n", `{"model":"n","enable_thinking":false,"x_vendor":{"a":[1,null]},"messages":[]}`},
		{`{"seed":9007199254740993,"temperature":0.10,"logit_bias":{"50256":-100},"x":1e400,"y":-0,"z":1.0,"model":"m"}`, "n",
			`{"seed":9007199254740993,"temperature":0.10,"logit_bias":{"50256":-100},"x":1e400,"y":-0,"z":1.0,"model":"n"}`},
		{" {\n\t\"mod\\u0065l\" : \"\\u006d\" ,\r\n \"a\":\"\\u0041\\/\u2028\x7f\\ud800 😀\" }\n", "n", " {\n\t\"mod\\u0065l\" : \"n\" ,\r\n \"a\":\"\\u0041\\/\u2028\x7f\\ud800 😀\" }\n"},
		{`{"messages":[{"model":"m","stream":true}],"model":"m","metadata":{"model":"m"}}`, "n", `{"messages":[{"model":"m","stream":true}],"model":"n","metadata":{"model":"m"}}`},
		{`{"model":"m"}`, "a\"b\\\n\x07\x0b\x7f\u2028é😀", `{"model":"a\"b\\\n\u0007\u000b` + "\x7f\u2028" + `é😀"}`},
		{`{"model":"m"}`, "a\xffb", "{\"model\":\"a\ufffdb\"}"},
		{`{"x":1,"x":2,"model":"m"}`, "m", `{"x":1,"x":2,"model":"m"}`},
	} {
		e, err := Parse([]byte(c.in), Chat)
		if err != nil {
			t.Errorf("%s: %v", c.in, err)
			continue
		}
		if got := rewrite(t, e, c.model, Options{}); got != c.want {
			t.Errorf("model %q in\n%s: got\n%s, want\n%s", c.model, c.in, got, c.want)
		}
	}
}

func TestTheUsageIsAskedForByteExactly(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"no options", `{"model":"m","stream":true}`, `{"model":"n","stream_options":{"include_usage":true},"stream":true}`},
		{"no options and the model last", `{"stream":true , "model" : "m" }`, `{"stream":true , "model" : "n","stream_options":{"include_usage":true} }`},
		{"null options", `{"stream_options": null ,"model":"m","stream":true}`, `{"stream_options": {"include_usage":true} ,"model":"n","stream":true}`},
		{"empty options", `{"model":"m","stream":true,"stream_options": { } }`, `{"model":"n","stream":true,"stream_options": {"include_usage":true } }`},
		{"other options", `{"model":"m","stream":true,"stream_options":{ "include_obfuscation":false}}`, `{"model":"n","stream":true,"stream_options":{"include_usage":true, "include_obfuscation":false}}`},
		{"a refusal of usage", `{"model":"m","stream":true,"stream_options":{"a":1,"include_usage": false ,"b":2}}`, `{"model":"n","stream":true,"stream_options":{"a":1,"include_usage": true ,"b":2}}`},
		{"usage of null before the model", `{"stream_options":{"includ\u0065_usage":null},"stream":true,"model":"m"}`, `{"stream_options":{"includ\u0065_usage":true},"stream":true,"model":"n"}`},
		{"usage that is asked for", `{"model":"m","stream":true,"stream_options":{"include_usage":true}}`, `{"model":"n","stream":true,"stream_options":{"include_usage":true}}`},
		{"no stream", `{"model":"m","stream":false}`, `{"model":"n","stream":false}`},
		{"no stream but options", `{"model":"m","stream_options":{}}`, `{"model":"n","stream_options":{}}`},
		{"options that are no object", `{"model":"m","stream":true,"stream_options":[{}]}`, `{"model":"n","stream":true,"stream_options":[{}]}`},
	} {
		e, err := Parse([]byte(c.in), Chat)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := rewrite(t, e, "n", Options{IncludeUsage: true}); got != c.want {
			t.Errorf("%s: in\n%s: got\n%s, want\n%s", c.name, c.in, got, c.want)
		}
	}
}

// TestABodyCanBeReadAgainAndInAnyPieces holds bodies in one piece and bodies in parts.
func TestABodyCanBeReadAgainAndInAnyPieces(t *testing.T) {
	for _, text := range []string{"", strings.Repeat("é", joinable)} {
		e, err := Parse([]byte(`{"stream_options":{"include_usage":false},"x":"`+text+`","model":"m","stream":true}`), Chat)
		if err != nil {
			t.Fatal(err)
		}
		b := e.Body("other", Options{IncludeUsage: true, Changes: []core.Change{set("a", "1"), set("b", "2"), remove("stream")}})
		want := `{"stream_options":{"include_usage":true},"x":"` + text + `","model":"other","a":1,"b":2}`
		half := b.Reader()
		if _, err := io.ReadFull(half, make([]byte, 20)); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := iotest.TestReader(b.Reader(), []byte(want)); err != nil {
				t.Error(err)
			}
		}
		rest, err := io.ReadAll(half)
		if err != nil || string(rest) != want[20:] {
			t.Errorf("got %q and %v, want %q", rest, err, want[20:])
		}
		if err := half.Close(); err != nil {
			t.Error(err)
		}
		if got := rewrite(t, e, "m2", Options{}); got != `{"stream_options":{"include_usage":false},"x":"`+text+`","model":"m2","stream":true}` {
			t.Errorf("a second rewrite gave %s", got)
		}
	}
	if n, err := (Body{}).Reader().Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("the zero body gave %d bytes and %v, want io.EOF", n, err)
	}
}

func TestALargeBodyIsNotCopied(t *testing.T) {
	raw := []byte(`{"model":"m","messages":[{"role":"user","content":"` + strings.Repeat("a", 1<<20) + `"}]}`)
	before := bytes.Clone(raw)
	var b Body
	allocated := testing.Benchmark(func(bb *testing.B) {
		bb.ReportAllocs()
		for bb.Loop() {
			e, err := Parse(raw, Chat)
			if err != nil {
				bb.Fatal(err)
			}
			b = e.Body("other", Options{})
		}
	}).AllocedBytesPerOp()
	if allocated > 4<<10 {
		t.Errorf("a body of %d bytes made %d bytes of garbage, want a few hundred", len(raw), allocated)
	}
	last := b.fixed[b.n-1]
	if unsafe.SliceData(last) != &raw[len(raw)-len(last)] {
		t.Error("the body's tail is not the caller's buffer")
	}
	if !bytes.Equal(raw, before) {
		t.Error("the caller's buffer was changed")
	}
}

// TestAForgottenBodyHoldsNothing, neither by itself nor by readers that somebody keeps.
func TestAForgottenBodyHoldsNothing(t *testing.T) {
	for _, size := range []int{10, 2 * joinable} {
		raw := []byte(`{"model":"m","x":"` + strings.Repeat("a", size) + `"}`)
		bytesOf := weak.Make(&raw[0])
		e, err := Parse(raw, Chat)
		if err != nil {
			t.Fatal(err)
		}
		body := e.Body("other", Options{})
		kept := body
		reader := body.Reader()
		if _, err := io.Copy(io.Discard, reader); err != nil {
			t.Fatal(err)
		}
		body.Forget()
		raw, e = nil, nil
		runtime.GC()
		if bytesOf.Value() != nil {
			t.Errorf("a body of %d bytes is held after it was forgotten", size)
		}
		if n, err := reader.Read(make([]byte, 1)); n != 0 || err != io.EOF {
			t.Errorf("its reader gave %d bytes and %v, want io.EOF", n, err)
		}
		if kept.Len() != 0 {
			t.Errorf("a copy of it has %d bytes", kept.Len())
		}
	}
	Body{}.Forget() // has nothing to forget
}
