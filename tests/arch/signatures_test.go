package arch

import (
	"go/types"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// wrapped begins the import paths of libraries that one package of ours wraps, so that another can take their place.
var wrapped = []string{
	"github.com/labstack/echo/", "go.etcd.io/", "github.com/santhosh-tekuri/jsonschema/", "github.com/testcontainers/", "github.com/moby/",
}

func TestWrappedLibrariesStayOutOfExportedSignatures(t *testing.T) {
	cfg := &packages.Config{Mode: packages.NeedName | packages.NeedTypes | packages.NeedImports, Dir: root(t)}
	var patterns []string
	for module := range mayImport {
		patterns = append(patterns, "./"+module+"/...")
	}
	pkgs, err := packages.Load(cfg, patterns...)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pkgs {
		for _, fault := range p.Errors {
			t.Errorf("%s: %v", p.PkgPath, fault)
		}
		for _, name := range p.Types.Scope().Names() {
			if obj := p.Types.Scope().Lookup(name); obj.Exported() && p.Name != "main" {
				for _, foreign := range shown(obj) {
					t.Errorf("%s.%s shows %s", p.PkgPath, name, foreign)
				}
			}
		}
	}
}

// shown returns the types of wrapped libraries that a user of obj has to know.
func shown(obj types.Object) []string {
	s := &signature{seen: map[types.Type]bool{}}
	s.walk(obj.Type())
	if named, ok := types.Unalias(obj.Type()).(*types.Named); ok {
		s.walk(named.Underlying())
		for method := range named.Methods() {
			if method.Exported() {
				s.walk(method.Type())
			}
		}
	}
	return s.foreign
}

type signature struct {
	seen    map[types.Type]bool
	foreign []string
}

func (s *signature) walk(typ types.Type) {
	typ = types.Unalias(typ)
	if s.seen[typ] {
		return
	}
	s.seen[typ] = true
	switch x := typ.(type) {
	case *types.Named:
		s.named(x)
	case *types.Struct:
		for field := range x.Fields() {
			if field.Exported() {
				s.walk(field.Type())
			}
		}
	case *types.Interface:
		for method := range x.ExplicitMethods() {
			s.walk(method.Type())
		}
	case *types.Signature:
		s.walk(x.Params())
		s.walk(x.Results())
	case *types.Tuple:
		for v := range x.Variables() {
			s.walk(v.Type())
		}
	case *types.Map:
		s.walk(x.Key())
		s.walk(x.Elem())
	case interface{ Elem() types.Type }: // pointer, slice, array, channel
		s.walk(x.Elem())
	}
}

// named notes a foreign type; one of ours is judged in its own package.
func (s *signature) named(n *types.Named) {
	for arg := range n.TypeArgs().Types() {
		s.walk(arg)
	}
	if n.Obj().Pkg() == nil {
		return
	}
	for _, beginning := range wrapped {
		if strings.HasPrefix(n.Obj().Pkg().Path()+"/", beginning) {
			s.foreign = append(s.foreign, n.Obj().Pkg().Path()+"."+n.Obj().Name())
		}
	}
}
