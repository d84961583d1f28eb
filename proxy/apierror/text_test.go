package apierror

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestForeignTextBecomesOneCleanLine(t *testing.T) {
	for _, c := range []struct {
		in    string
		limit int
		want  string
	}{
		{"plain", 100, "plain"},
		{" a\r\nb\tc ", 100, "a  b c"},
		{"a\x00b\x1b[31mc\x7f", 100, "ab[31mc"},
		{"a\u202eb\u200bc\ufeff", 100, "abc"},
		{"a\xffb\xc3", 100, "ab"},
		{"ééé", 3, "é"},
		{"é", 1, ""},
		{"\x80\x80\x80\x80", 2, ""},
		{"", 0, ""},
		{"a\u00a0b\u2028c", 100, "a b c"},
	} {
		if got := Text(c.in, c.limit); got != c.want {
			t.Errorf("%q to %d bytes: got %q, want %q", c.in, c.limit, got, c.want)
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add("a\r\nb\xff\u202e", 3)
	f.Fuzz(func(t *testing.T, in string, limit int) {
		if limit < 0 {
			t.Skip()
		}
		got := Text(in, limit)
		if len(got) > limit || !utf8.ValidString(got) || strings.ContainsAny(got, "\r\n\x00\x1b") {
			t.Fatalf("%q to %d bytes: got %q", in, limit, got)
		}
		if again := Text(got, limit); again != got {
			t.Fatalf("%q became %q and then %q", in, got, again)
		}
	})
}
