package token

import "testing"

func TestAStringIsToldWithoutItsEscapes(t *testing.T) {
	for in, want := range map[string]string{
		`""`: "", `"a"`: "a", `"mod\u0065l"`: "model", `"\"\\\/\b\f\n\r\t"`: "\"\\/\b\f\n\r\t", `"\ud83d\ude00"`: "😀", `"a\ud800b"`: "a\ufffdb",
		"\"\xff\"": "\xff", "\"\xff\\n\"": "\ufffd\n",
	} {
		if got := string(Text([]byte(in))); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}
