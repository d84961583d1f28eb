package arch

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// prefix begins the import path of everything that is ours.
const prefix = "github.com/sluice-gateway/sluice/"

// pkg is what `go list -json` says of one package.
type pkg struct {
	ImportPath, Name, Dir              string
	Standard                           bool
	GoFiles, TestGoFiles, XTestGoFiles []string
	Imports, TestImports, XTestImports []string
	Deps                               []string
}

// module returns the first part of the package's path below prefix, such as "core".
func (p pkg) module() string { return moduleOf(p.ImportPath) }

// files returns the paths of the package's Go files, tests included.
func (p pkg) files() []string {
	var out []string
	for _, names := range [][]string{p.GoFiles, p.TestGoFiles, p.XTestGoFiles} {
		for _, name := range names {
			out = append(out, filepath.Join(p.Dir, name))
		}
	}
	return out
}

// moduleOf returns the module of ours to which the import path belongs, "" for any other path.
func moduleOf(path string) string {
	rest, ours := strings.CutPrefix(path, prefix)
	if !ours {
		return ""
	}
	name, _, _ := strings.Cut(rest, "/")
	return name
}

// root is the folder of go.work.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

var listOnce = sync.OnceValues(func() ([]pkg, error) {
	args := []string{"list", "-tags", "e2e", "-json=ImportPath,Name,Dir,Standard,GoFiles,TestGoFiles,XTestGoFiles,Imports,TestImports,XTestImports,Deps"}
	for module := range mayImport {
		args = append(args, "./"+module+"/...")
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = filepath.Join("..", "..")
	out, err := cmd.Output()
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		return nil, errors.New(string(exit.Stderr))
	}
	if err != nil {
		return nil, err
	}
	return decodeList(out)
})

func decodeList(out []byte) ([]pkg, error) {
	var pkgs []pkg
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		switch err := dec.Decode(&p); {
		case errors.Is(err, io.EOF):
			return pkgs, nil
		case err != nil:
			return nil, err
		}
		pkgs = append(pkgs, p)
	}
}

// list returns every package of the workspace, those of the e2e build tag included.
func list(t *testing.T) []pkg {
	t.Helper()
	pkgs, err := listOnce()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	if len(pkgs) == 0 {
		t.Fatal("go list found no package")
	}
	return pkgs
}
