package lessons

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// page is what ../lessons.md says.
type page struct {
	text string
	// listed are the ids of "The list" by theme, in its order.
	listed map[string][]string
	rows   []row
}

// row is one lesson of a theme's table.
type row struct{ theme, id, fault, held string }

// listed is the heading of the list of ids; every other one is a theme's.
const listHeading = "The list"

func readPage(t *testing.T) page {
	t.Helper()
	raw, err := os.ReadFile("../lessons.md")
	if err != nil {
		t.Fatal(err)
	}
	p := page{text: string(raw), listed: map[string][]string{}}
	theme := ""
	for line := range strings.Lines(p.text) {
		if heading, ok := strings.CutPrefix(line, "## "); ok {
			theme = strings.TrimSpace(heading)
			continue
		}
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		switch {
		case !strings.HasPrefix(line, "| ") || cells[0] == "theme" || cells[0] == "lesson":
		case theme == listHeading && len(cells) == 2:
			p.listed[cells[0]] = idsOf(cells[1])
		case len(cells) == 3:
			p.rows = append(p.rows, row{theme, cells[0], cells[1], cells[2]})
		default:
			t.Errorf("a line of a table that is not understood: %s", line)
		}
	}
	return p
}

// idsOf returns the ids that "PREFIX 01 02" stands for.
func idsOf(cell string) []string {
	var out []string
	prefix, numbers, _ := strings.Cut(cell, " ")
	for n := range strings.FieldsSeq(numbers) {
		out = append(out, prefix+"-"+n)
	}
	return out
}

// The three ways to stand in the last column.
const (
	held    = "held"
	inPart  = "in part: "
	notYet  = "not applicable yet: "
	explain = "; "
)

// status returns which of them it is.
func (r row) status() string {
	for _, s := range []string{inPart, notYet} {
		if strings.HasPrefix(r.held, s) {
			return s
		}
	}
	return held
}

var quoted = regexp.MustCompile("`([^`]+)`")

var testName = regexp.MustCompile(`^([a-z][a-z0-9_/-]*)\.((?:Test|Fuzz)\w+)(?:/(.+))?$`)

// reference is one test that a row names: the package's folder, the function and the cases below it.
type reference struct {
	text, dir, function string
	cases               []string
}

// references returns the tests that the row names; other quoted words, such as a setting, are none.
func (r row) references() []reference {
	var out []reference
	for _, q := range quoted.FindAllStringSubmatch(r.held, -1) {
		m := testName.FindStringSubmatch(q[1])
		if m == nil {
			continue
		}
		ref := reference{text: q[1], dir: m[1], function: m[2]}
		if m[3] != "" {
			ref.cases = strings.Split(m[3], "/")
		}
		out = append(out, ref)
	}
	return out
}
