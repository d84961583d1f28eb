package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func parse(t *testing.T, fset *token.FileSet, path string) *ast.File {
	t.Helper()
	f, err := parser.ParseFile(fset, path, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestEveryPackageSaysWhatItIsFor(t *testing.T) {
	fset := token.NewFileSet()
	for _, p := range list(t) {
		documented := slices.ContainsFunc(p.files(), func(path string) bool { return parse(t, fset, path).Doc.Text() != "" })
		if !documented {
			t.Errorf("%s has no package comment", p.ImportPath)
		}
	}
}

func TestEveryExportedNameHasASentenceThatStartsWithIt(t *testing.T) {
	fset := token.NewFileSet()
	for _, p := range list(t) {
		for _, name := range p.GoFiles {
			for _, decl := range parse(t, fset, filepath.Join(p.Dir, name)).Decls {
				for _, e := range exported(decl) {
					if !e.documented() {
						t.Errorf("%s: %s has no comment that starts with its name", fset.Position(e.pos), e.name)
					}
				}
			}
		}
	}
}

func TestNoPackageHasAnInitFunction(t *testing.T) {
	fset := token.NewFileSet()
	for _, p := range list(t) {
		for _, path := range p.files() {
			for _, decl := range parse(t, fset, path).Decls {
				if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
					t.Errorf("%s: what happens at start belongs in main", fset.Position(f.Pos()))
				}
			}
		}
	}
}

// entry is one exported name and its comment.
type entry struct {
	name, doc string
	pos       token.Pos
	grouped   bool // under one comment with others: any comment will do
}

func (e entry) documented() bool {
	if e.grouped {
		return e.doc != ""
	}
	words := strings.Fields(e.doc)
	for len(words) > 0 && slices.Contains([]string{"A", "An", "The"}, words[0]) {
		words = words[1:]
	}
	return len(words) > 0 && strings.HasPrefix(words[0], e.name)
}

func exported(decl ast.Decl) []entry {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && exportedReceiver(d) {
			return []entry{{name: d.Name.Name, doc: d.Doc.Text(), pos: d.Pos()}}
		}
	case *ast.GenDecl:
		return exportedSpecs(d)
	}
	return nil
}

func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	typ := d.Recv.List[0].Type
	for {
		switch x := typ.(type) {
		case *ast.StarExpr:
			typ = x.X
		case *ast.IndexExpr:
			typ = x.X
		case *ast.IndexListExpr:
			typ = x.X
		case *ast.Ident:
			return x.IsExported()
		default:
			return false
		}
	}
}

func exportedSpecs(d *ast.GenDecl) []entry {
	var out []entry
	for _, spec := range d.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			if s.Name.IsExported() {
				out = append(out, newEntry(d, s.Name, s.Doc, nil))
			}
		case *ast.ValueSpec:
			for _, name := range s.Names {
				if name.IsExported() {
					e := newEntry(d, name, s.Doc, s.Comment)
					e.grouped = d.Lparen.IsValid() || len(s.Names) > 1
					out = append(out, e)
				}
			}
		}
	}
	return out
}

func newEntry(d *ast.GenDecl, name *ast.Ident, own, trailing *ast.CommentGroup) entry {
	doc := own.Text()
	if doc == "" {
		doc = d.Doc.Text()
	}
	if doc == "" {
		doc = trailing.Text()
	}
	return entry{name: name.Name, doc: doc, pos: name.Pos()}
}
