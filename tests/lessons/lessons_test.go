package lessons

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestEveryLessonOfTheListStandsOnceInTheTableOfItsTheme(t *testing.T) {
	p := readPage(t)
	times := map[string]int{}
	for _, r := range p.rows {
		times[r.id]++
		if !slices.Contains(p.listed[r.theme], r.id) {
			t.Errorf("%s stands under %s, where the list does not have it", r.id, r.theme)
		}
		if len(r.fault) < 10 {
			t.Errorf("%s: the fault %q says nothing", r.id, r.fault)
		}
	}
	total := 0
	for theme, ids := range p.listed {
		for _, id := range ids {
			total++
			if times[id] != 1 {
				t.Errorf("%s of %s stands %d times in the tables, want once", id, theme, times[id])
			}
		}
	}
	if total != len(p.rows) {
		t.Errorf("%d rows for %d listed lessons", len(p.rows), total)
	}
}

func TestTheCountsAreRight(t *testing.T) {
	p := readPage(t)
	n := map[string]int{}
	for _, r := range p.rows {
		n[r.status()]++
	}
	want := fmt.Sprintf("\n%d lessons: %d held by a test, %d held in part, %d not applicable yet.\n", len(p.rows), n[held], n[inPart], n[notYet])
	if !strings.Contains(p.text, want) {
		t.Errorf("the page lacks the line %q", strings.TrimSpace(want))
	}
}

func TestEveryRowSaysWhatHoldsItOrWhyNothingDoes(t *testing.T) {
	for _, r := range readPage(t).rows {
		refs := len(r.references())
		switch r.status() {
		case notYet:
			if refs > 0 || len(r.held) < len(notYet)+10 {
				t.Errorf("%s: %q, want a reason and no test", r.id, r.held)
			}
		case inPart:
			if _, rest, ok := strings.Cut(r.held, explain); refs == 0 && !strings.Contains(r.held, "`") || !ok || len(rest) < 20 {
				t.Errorf("%s: %q, want tests and then what they do not hold", r.id, r.held)
			}
		default:
			if refs == 0 {
				t.Errorf("%s: %q names no test", r.id, r.held)
			}
		}
		for _, q := range quoted.FindAllStringSubmatch(r.held, -1) {
			if (strings.Contains(q[1], ".Test") || strings.Contains(q[1], ".Fuzz")) && !testName.MatchString(q[1]) {
				t.Errorf("%s: %q is not written as package.Test or package.Test/case", r.id, q[1])
			}
		}
	}
}

func TestEveryNamedTestExists(t *testing.T) {
	sources := map[string]source{}
	for _, r := range readPage(t).rows {
		for _, ref := range r.references() {
			s, ok := sources[ref.dir]
			if !ok {
				s = parseTests(t, ref.dir)
				sources[ref.dir] = s
			}
			if !s.functions[ref.function] {
				t.Errorf("%s: there is no test %s in %s", r.id, ref.function, ref.dir)
			}
			for _, c := range ref.cases {
				if !s.texts[c] {
					t.Errorf("%s: %s: no case is called %q", r.id, ref.text, c)
				}
			}
		}
	}
}

// source is what the tests of one folder consist of.
type source struct {
	functions map[string]bool
	texts     map[string]bool // every string literal: the names of cases are among them
}

// parseTests reads a package's tests, and the bodies of tests that it keeps in a folder of its own, such as
// storetest.
func parseTests(t *testing.T, dir string) source {
	t.Helper()
	s := source{map[string]bool{}, map[string]bool{}}
	for _, pattern := range []string{"*_test.go", "*test/*.go"} {
		paths, err := filepath.Glob(filepath.Join("..", "..", dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			s.add(f, strings.HasSuffix(path, "_test.go"))
		}
	}
	return s
}

func (s source) add(f *ast.File, tests bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if tests && n.Recv == nil {
				s.functions[n.Name.Name] = true
			}
		case *ast.BasicLit:
			if text, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING {
				s.texts[text] = true
			}
		}
		return true
	})
}
