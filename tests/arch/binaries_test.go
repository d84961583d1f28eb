package arch

import (
	"slices"
	"strings"
	"testing"
)

// roots carries the TLS roots into images that have no certificate store.
const roots = "golang.org/x/crypto/x509roots/fallback"

var binaries = []struct {
	path string
	// without are beginnings of import paths that have no place in the binary.
	without []string
}{
	{"proxy/cmd/sluice-proxy", []string{
		"github.com/labstack/echo", "github.com/swaggo/", "github.com/swaggest/", "github.com/santhosh-tekuri/jsonschema",
		"github.com/docker/", "github.com/moby/", "github.com/testcontainers/", "go.etcd.io/etcd/server/", "testing",
	}},
	{"admin/cmd/sluice-admin", []string{
		"github.com/docker/", "github.com/moby/", "github.com/testcontainers/", "go.etcd.io/etcd/server/", "github.com/swaggo/swag/gen", "testing",
	}},
	{"cmd/sluice", []string{"github.com/docker/", "github.com/moby/", "github.com/testcontainers/", "github.com/openai/", "testing"}},
}

func TestBinariesCarryTheTLSRootsAndNothingForeign(t *testing.T) {
	pkgs := list(t)
	for _, binary := range binaries {
		at := slices.IndexFunc(pkgs, func(p pkg) bool { return p.ImportPath == prefix+binary.path })
		if at < 0 {
			t.Errorf("there is no %s", binary.path)
			continue
		}
		if !slices.Contains(pkgs[at].Deps, roots) {
			t.Errorf("%s does not import %s: it could not call an https upstream from an image without certificates", binary.path, roots)
		}
		for _, dep := range pkgs[at].Deps {
			for _, foreign := range binary.without {
				if dep == strings.TrimSuffix(foreign, "/") || strings.HasPrefix(dep, strings.TrimSuffix(foreign, "/")+"/") {
					t.Errorf("%s contains %s", binary.path, dep)
				}
			}
		}
	}
}
