package docs

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// pageLimit is far more than the commands of a page take.
const pageLimit = 2 * time.Minute

// marked says after a command whether it, or one of its parts, failed.
const marked = "\nprintf '\\n%s %%d\\n' \"$FAILED\"; FAILED=0\n"

// outcome is what a command did.
type outcome struct {
	printed []string
	failed  string // the exit status; "0": it succeeded
}

// run pastes the commands into a shell, whose folder is where the gateway was started.
func (g *gateway) run(t *testing.T, commands []command, env ...string) []outcome {
	t.Helper()
	mark := "end-" + rand.Text()
	var script strings.Builder
	script.WriteString("FAILED=0; trap 'FAILED=$?' ERR; exec 2>&1\n")
	for _, c := range commands {
		script.WriteString(g.real.Replace(c.text))
		fmt.Fprintf(&script, marked, mark)
	}
	file := filepath.Join(t.TempDir(), "pasted.sh")
	if err := os.WriteFile(file, []byte(script.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), pageLimit)
	defer cancel()
	c := exec.CommandContext(ctx, "bash", file)
	c.Dir, c.Env = g.dir, append([]string{
		"PATH=" + g.tools + string(os.PathListSeparator) + os.Getenv("PATH"), "HOME=" + g.dir, "LC_ALL=C.UTF-8",
	}, env...)
	raw, err := c.CombinedOutput()
	if err != nil {
		t.Errorf("the shell: %v", err)
	}
	return g.outcomes(string(raw), mark)
}

// outcomes takes what the shell printed apart at the marks.
func (g *gateway) outcomes(printed, mark string) (out []outcome) {
	parts := strings.Split(g.documented.Replace(printed), "\n"+mark+" ")
	for i, text := range parts {
		if i > 0 {
			out[i-1].failed, text, _ = strings.Cut(text, "\n")
		}
		out = append(out, outcome{printed: split(text)})
	}
	return out
}

// split returns the lines of a text, without what cannot be seen at their ends.
func split(text string) (out []string) {
	if text = strings.TrimSuffix(text, "\n"); text == "" {
		return nil
	}
	for line := range strings.SplitSeq(text, "\n") {
		out = append(out, strings.TrimRight(line, "\r "))
	}
	return out
}

// prove runs the page's commands after those of a preamble, and fails where they do not do what the page says.
func (g *gateway) prove(t *testing.T, preamble []command, p page, env ...string) {
	t.Helper()
	commands := append(append([]command{}, preamble...), p.commands(t)...)
	if len(commands) == len(preamble) {
		t.Fatalf("%s has nothing to paste", p.path)
	}
	outcomes := g.run(t, commands, env...)
	for i, c := range commands {
		at := fmt.Sprintf("%s:%d", p.path, c.line)
		if i < len(preamble) {
			at = "the preamble"
		}
		switch o := outcomes[min(i, len(outcomes)-1)]; {
		case i >= len(outcomes) || o.failed == "":
			t.Fatalf("%s: the shell did not come to the end of\n%s\nand printed\n%s\nlog: %s", at, c.text, strings.Join(outcomes[len(outcomes)-1].printed, "\n"), g.log)
		case o.failed != "0":
			t.Errorf("%s: exit status %s of\n%s\nwhich printed\n%s", at, o.failed, c.text, strings.Join(o.printed, "\n"))
		case c.prints != nil && !shows(c.prints, o.printed):
			t.Errorf("%s: %s\nprinted\n%s\nand the page has\n%s", at, c.text, strings.Join(o.printed, "\n"), strings.Join(c.prints, "\n"))
		}
	}
}
