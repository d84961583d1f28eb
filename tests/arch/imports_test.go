package arch

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// mayImport says which other modules of ours a module may import.
var mayImport = map[string][]string{
	"core":    {},
	"schemas": {},
	"openapi": {},
	"store":   {"core"},
	"admin":   {"core", "schemas", "store", "openapi"},
	"proxy":   {"core", "store"},
	"cmd":     {"core", "schemas", "store", "openapi", "admin", "proxy"},
	"tests":   {"core", "schemas", "store", "openapi", "admin", "proxy", "cmd"},
}

func TestEveryModuleOfTheWorkspaceIsInTheImportTable(t *testing.T) {
	work, err := os.ReadFile(filepath.Join(root(t), "go.work"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, use := range regexp.MustCompile(`(?m)^\s*\./(\S+)$`).FindAllStringSubmatch(string(work), -1) {
		got = append(got, use[1])
	}
	slices.Sort(got)
	var want []string
	for module := range mayImport {
		want = append(want, module)
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("go.work uses %v, the import table knows %v", got, want)
	}
}

func TestModulesImportOnlyWhatTheTableAllows(t *testing.T) {
	for _, p := range list(t) {
		for _, imported := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
			to := moduleOf(imported)
			if to != "" && to != p.module() && !slices.Contains(mayImport[p.module()], to) {
				t.Errorf("%s imports %s: %s may import %v", p.ImportPath, imported, p.module(), mayImport[p.module()])
			}
		}
	}
}

func TestCoreIsStandardLibraryOnly(t *testing.T) {
	for _, p := range list(t) {
		if p.module() != "core" {
			continue
		}
		for _, imported := range p.Imports {
			if first, _, _ := strings.Cut(imported, "/"); strings.Contains(first, ".") && moduleOf(imported) != "core" {
				t.Errorf("%s imports %s", p.ImportPath, imported)
			}
		}
	}
}

// A server in the same process is for development and tests; the planes are clients.
func TestThePlanesDoNotContainAnEtcdServer(t *testing.T) {
	for _, p := range list(t) {
		if p.module() != "admin" && p.module() != "proxy" {
			continue
		}
		for _, dep := range p.Deps {
			if dep == prefix+"store/embedded" || strings.HasPrefix(dep, "go.etcd.io/etcd/server/") {
				t.Errorf("%s depends on %s outside its tests", p.ImportPath, dep)
			}
		}
	}
}

func TestNoPackageHasACatchAllName(t *testing.T) {
	forbidden := []string{"util", "utils", "common", "helper", "helpers", "types", "models", "manager", "handlers", "misc", "base", "shared"}
	for _, p := range list(t) {
		for _, part := range strings.Split(strings.TrimPrefix(p.ImportPath, prefix), "/") {
			if slices.Contains(forbidden, part) {
				t.Errorf("%s: %q says nothing of what the package provides", p.ImportPath, part)
			}
		}
	}
}
