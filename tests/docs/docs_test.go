package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/tests/upstream"
)

// index is the page that has what the others' examples begin with.
const index = "docs/strategies/README.md"

// TestWhatThePagesSayToPasteWorks runs all pages against one gateway, as somebody would who reads them one after the other.
func TestWhatThePagesSayToPasteWorks(t *testing.T) {
	for _, tool := range []string{"bash", "curl", "openssl"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("the pages need %s", tool)
		}
	}
	openAI, err := upstream.Start("127.0.0.1", upstream.Behaviour{})
	if err != nil {
		t.Fatal(err)
	}
	defer openAI.Die()
	t.Setenv("OPENAI_API_KEY", "sk-from-the-environment")
	g := start(t, "http://127.0.0.1:"+openAI.Port())
	g.documents(t)
	t.Run("README.md", func(t *testing.T) {
		g.prove(t, nil, read(t, "README.md").section(t, "## The main job"), "SLUICE_ADMIN_TOKEN="+g.kept(t, "admin-token"))
	})
	t.Run("explain.md", func(t *testing.T) { g.prove(t, nil, read(t, "docs/explain.md")) })
	preamble := read(t, index).commands(t)
	for _, path := range pages(t) {
		t.Run(strings.TrimPrefix(path, "docs/"), func(t *testing.T) {
			if path == index {
				g.prove(t, nil, read(t, path))
				return
			}
			g.prove(t, preamble, read(t, path))
		})
	}
}

// pages returns the pages whose blocks all run.
func pages(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(root(t), "docs/strategies/*.md"))
	if err != nil || len(found) == 0 {
		t.Fatalf("got %v, %v", found, err)
	}
	var out []string
	for _, file := range found {
		path, err := filepath.Rel(root(t), file)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, filepath.ToSlash(path))
	}
	return out
}

func TestEveryStrategyHasAPageOfTheSameParts(t *testing.T) {
	list := strings.Join(read(t, index).lines, "\n")
	for _, s := range core.Strategies() {
		if !strings.Contains(list, "]("+string(s)+".md)") {
			t.Errorf("%s does not link to the page of %s", index, s)
		}
		p := read(t, "docs/strategies/"+string(s)+".md")
		for _, heading := range []string{"## When to use it", "## Fields", "## When something fails", "## See why", "## Try it"} {
			if !slices.Contains(p.lines, heading) {
				t.Errorf("%s has no %q", p.path, heading)
			}
		}
		if !slices.ContainsFunc(p.section(t, "## Try it").commands(t), func(c command) bool { return len(c.prints) > 0 }) {
			t.Errorf("%s shows no command with what it prints", p.path)
		}
	}
}

func TestNoLinkOfAPageLeadsNowhere(t *testing.T) {
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md"} {
		found, err := filepath.Glob(filepath.Join(root(t), pattern))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: got %v, %v", pattern, found, err)
		}
		for _, file := range found {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, to := range links(string(raw)) {
				if fault := lead(file, to); fault != "" {
					t.Errorf("%s: the link to %s: %s", file, to, fault)
				}
			}
		}
	}
}
