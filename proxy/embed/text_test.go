package embed_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/sluice-gateway/sluice/proxy/embed"
)

func TestTextIsWhatIsToBeEmbedded(t *testing.T) {
	for _, c := range []struct {
		parts []string
		limit int
		want  string
	}{
		{nil, 100, ""},
		{[]string{"", " \t\n", "\u00a0\u2003"}, 100, ""},
		{[]string{"a"}, 100, "a"},
		{[]string{" a\n", "", "b c "}, 100, "a\nb c"},
		{[]string{strings.Repeat(" ", 1000) + "a"}, 10, "a"},
		{[]string{"abcdef"}, 3, "abc"},
		{[]string{"ab", "cd"}, 4, "ab\nc"},
		{[]string{"ab", "cd"}, 3, "ab"},
		{[]string{"ab", "cd"}, 2, "ab"},
		{[]string{"aéé"}, 4, "aé"},
		{[]string{"a日本"}, 6, "a日"},
		{[]string{"🎉🎉"}, 7, "🎉"},
		{[]string{"🎉"}, 3, ""},
		{[]string{"a\xff\xfeb"}, 100, "a\ufffdb"},
		{[]string{"\xff"}, 100, "\ufffd"},
		{[]string{"a\xe6\x97"}, 100, "a\ufffd"},
		{[]string{"a\xff"}, 2, "a"},
		{[]string{strings.Repeat("\x80", 100)}, 10, "\ufffd"},
		{[]string{"a"}, 0, ""},
	} {
		if got := embed.Text(c.parts, c.limit); got != c.want {
			t.Errorf("%q within %d: got %q, want %q", c.parts, c.limit, got, c.want)
		}
	}
}

func TestTextIsValidAndWithinItsLimitWhateverItIsMadeOf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOf(rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }))).Draw(t, "parts")
		limit := rapid.IntRange(0, 64).Draw(t, "limit")
		got := embed.Text(parts, limit)
		if len(got) > limit || !utf8.ValidString(got) {
			t.Fatalf("%q within %d: got %q", parts, limit, got)
		}
		if whole := embed.Text(parts, 1<<20); !strings.HasPrefix(whole, got) || (len(whole) <= limit && got != whole) || len(whole)-len(got) > 0 && limit-len(got) >= utf8.UTFMax {
			t.Fatalf("%q within %d: got %q of %q", parts, limit, got, whole)
		}
	})
}

func BenchmarkTextOfALargePrompt(b *testing.B) {
	parts := []string{strings.Repeat("é", 1<<20)}
	b.ReportAllocs()
	for b.Loop() {
		embed.Text(parts, embed.DefaultTextLimit)
	}
}
