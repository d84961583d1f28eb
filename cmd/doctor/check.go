package doctor

import (
	"fmt"
	"io"
	"strings"
)

// State is the outcome of a check.
type State string

// The states, in order of concern.
const (
	OK State = "ok"
	// Skip: what the check needs is not there, or was not asked for.
	Skip State = "skip"
	// Warn: it works, and may not for long or not as meant.
	Warn State = "warn"
	// Fail: something does not work.
	Fail State = "fail"
)

// Check is one thing that was examined.
type Check struct {
	Name  string `json:"check"`
	State State  `json:"state"`
	// Found is what is there.
	Found string `json:"found"`
	// Do is what to do about it; empty when all is well.
	Do string `json:"do,omitempty"`
}

func ok(name, found string, args ...any) Check {
	return Check{Name: name, State: OK, Found: fmt.Sprintf(found, args...)}
}

func skip(name, why string) Check { return Check{Name: name, State: Skip, Found: why} }

func warn(name, do, found string, args ...any) Check {
	return Check{Name: name, State: Warn, Found: fmt.Sprintf(found, args...), Do: do}
}

func fail(name, do, found string, args ...any) Check {
	return Check{Name: name, State: Fail, Found: fmt.Sprintf(found, args...), Do: do}
}

// Print writes the checks for people.
func Print(w io.Writer, checks []Check) error {
	widest := 0
	for _, c := range checks {
		widest = max(widest, len(c.Name))
	}
	for _, c := range checks {
		if _, err := fmt.Fprintf(w, "%-4s  %-*s  %s\n", c.State, widest, c.Name, c.Found); err != nil {
			return err
		}
		if c.Do == "" {
			continue
		}
		if _, err := fmt.Fprintf(w, "%s→ %s\n", strings.Repeat(" ", widest+8), c.Do); err != nil {
			return err
		}
	}
	return nil
}

// Failed returns the names of the checks that failed.
func Failed(checks []Check) (names []string) {
	for _, c := range checks {
		if c.State == Fail {
			names = append(names, c.Name)
		}
	}
	return names
}

// some names the first few of many.
func some(names []string) string {
	const few = 5
	if len(names) <= few {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:few], ", "), len(names)-few)
}
