package openai

import (
	"bytes"
	"testing"
)

func TestEachByteIsFoundInEachPlace(t *testing.T) {
	for c := range 256 {
		for at := range 20 {
			for _, filler := range []byte{'a', 0x7f, 0x80, 0xff, ' ', '!', '#', '[', ']', 0xa2, 0xdc} {
				b := bytes.Repeat([]byte{filler}, 20)
				b[at] = byte(c)
				want := len(b)
				if c < ' ' || c == '"' || c == '\\' {
					want = at
				}
				if got := (&scanner{b: b}).plain(0); got != want {
					t.Fatalf("byte %#x at %d among %#x: got %d, want %d", c, at, filler, got, want)
				}
			}
		}
	}
}
