package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

var linked = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// links returns where a page links to within the repository.
func links(text string) (out []string) {
	for _, m := range linked.FindAllStringSubmatch(text, -1) {
		if !strings.Contains(m[1], "://") {
			out = append(out, m[1])
		}
	}
	return out
}

// lead returns why a link of a file leads nowhere; empty if it leads somewhere.
func lead(file, to string) string {
	path, anchor, _ := strings.Cut(to, "#")
	if path != "" {
		file = filepath.Join(filepath.Dir(file), path)
	}
	if anchor == "" {
		if _, err := os.Stat(file); err != nil {
			return err.Error()
		}
		return ""
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	for line := range strings.SplitSeq(string(raw), "\n") {
		if heading, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); ok && strings.HasPrefix(line, "#") && anchorOf(heading) == anchor {
			return ""
		}
	}
	return "no such heading"
}

var dropped = regexp.MustCompile(`[^\p{L}\p{N} _-]`)

// anchorOf is how GitHub makes an anchor of a heading.
func anchorOf(heading string) string {
	return strings.ReplaceAll(dropped.ReplaceAllString(strings.ToLower(strings.TrimSpace(heading)), ""), " ", "-")
}
