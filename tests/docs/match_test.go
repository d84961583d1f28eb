package docs

import (
	"regexp"
	"strings"
	"testing"
)

const anything = "…"

// shows reports whether a page's lines show what was printed.
func shows(page, printed []string) bool {
	switch {
	case len(page) == 0:
		return len(printed) == 0
	case page[0] == anything:
		return shows(page[1:], printed) || len(printed) > 0 && shows(page, printed[1:])
	case len(printed) == 0 || !showsLine(page[0], printed[0]):
		return false
	}
	return shows(page[1:], printed[1:])
}

func showsLine(page, printed string) bool {
	parts := strings.Split(page, anything)
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	return regexp.MustCompile("^" + strings.Join(parts, ".*") + "$").MatchString(printed)
}

func TestAPageShowsWhatIsPrintedOrDoesNot(t *testing.T) {
	for _, c := range []struct {
		page, printed string
		want          bool
	}{
		{"a", "a", true},
		{"a", "b", false},
		{"a", "a\nb", false},
		{"a\nb", "a", false},
		{"a…c", "abbc", true},
		{"a…c", "abbd", false},
		{"…(1)", "x(1)", true},
		{"…(1)", "x1", false},
		{"…\nb", "a\na\nb", true},
		{"…\nb", "b", true},
		{"…\nb", "a\nc", false},
		{"a\n…", "a\nb\nc", true},
		{"a\n…", "b", false},
	} {
		if got := shows(strings.Split(c.page, "\n"), strings.Split(c.printed, "\n")); got != c.want {
			t.Errorf("%q shows %q: got %v, want %v", c.page, c.printed, got, c.want)
		}
	}
	if shows(nil, []string{"a"}) || !shows(nil, nil) {
		t.Error("a command below which the page shows nothing may print nothing")
	}
}

func TestCommandsAreReadAsTheyAreToBePasted(t *testing.T) {
	p := page{"p", strings.Split("# P\n```sh\na\nb\n```\ntext\n```json\n{}\n```\n## Q\n```console\n$ c \\\n>   d\nout\n> out\n$ e\n```", "\n")}
	got := p.commands(t)
	want := []command{{3, "a\nb", nil}, {12, "c \\\n  d", []string{"out", "> out"}}, {16, "e", []string{}}}
	if len(got) != len(want) {
		t.Fatalf("got %+v", got)
	}
	for i, w := range want {
		if g := got[i]; g.line != w.line || g.text != w.text || strings.Join(g.prints, "|") != strings.Join(w.prints, "|") || (g.prints == nil) != (w.prints == nil) {
			t.Errorf("got %+v, want %+v", g, w)
		}
	}
	if below := p.section(t, "## Q").commands(t); len(below) != 2 || below[0].line != 12 {
		t.Errorf("got %+v, want what is below the heading, at its own lines", below)
	}
}
