package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// page is a Markdown file of the repository.
type page struct {
	path  string // below the repository's root
	lines []string
}

func root(t testing.TB) string {
	t.Helper()
	dir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func read(t testing.TB, path string) page {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(root(t), path))
	if err != nil {
		t.Fatal(err)
	}
	return page{path, strings.Split(string(raw), "\n")}
}

// section returns the part of the page below a heading, up to the next of the same level.
func (p page) section(t testing.TB, heading string) page {
	t.Helper()
	level, _, _ := strings.Cut(heading, " ")
	from := slices.Index(p.lines, heading)
	if from < 0 {
		t.Fatalf("%s has no %q", p.path, heading)
	}
	lines := slices.Clone(p.lines)
	for i := range lines[:from] {
		lines[i] = ""
	}
	fenced := false
	for i, line := range lines[from+1:] {
		fenced = fenced != strings.HasPrefix(line, "```")
		if !fenced && strings.HasPrefix(line, level+" ") {
			return page{p.path, lines[:from+1+i]}
		}
	}
	return page{p.path, lines}
}

// command is something to paste, and what the page says that it prints.
type command struct {
	line int // of the page, from 1 on
	text string
	// prints are the lines below it. nil: the page does not say.
	prints []string
}

var fence = regexp.MustCompile("^```([a-z]*)$")

// commands returns what the page tells people to paste.
func (p page) commands(t testing.TB) (out []command) {
	t.Helper()
	language, from := "", -1
	for i, line := range p.lines {
		m := fence.FindStringSubmatch(line)
		switch {
		case m == nil:
		case from < 0:
			language, from = m[1], i+1
		default:
			switch language {
			case "sh":
				out = append(out, command{line: from + 1, text: strings.Join(p.lines[from:i], "\n")})
			case "console":
				out = append(out, p.console(t, from, i)...)
			case "text":
				if len(out) == 0 || out[len(out)-1].prints != nil {
					t.Fatalf("%s:%d: a text block without an sh block above it", p.path, from)
				}
				out[len(out)-1].prints = p.lines[from:i]
			}
			from = -1
		}
	}
	if from >= 0 {
		t.Fatalf("%s:%d: the block has no end", p.path, from)
	}
	return out
}

// console reads the block of the lines from..to.
func (p page) console(t testing.TB, from, to int) (out []command) {
	t.Helper()
	for i, line := range p.lines[from:to] {
		if text, ok := strings.CutPrefix(line, "$ "); ok {
			out = append(out, command{line: from + i + 1, text: text, prints: []string{}})
			continue
		}
		if len(out) == 0 {
			t.Fatalf("%s:%d: a console block begins with %q, not with a command", p.path, from+i+1, line)
		}
		last := &out[len(out)-1]
		if text, ok := strings.CutPrefix(line, "> "); ok && len(last.prints) == 0 {
			last.text += "\n" + text
			continue
		}
		last.prints = append(last.prints, line)
	}
	return out
}
