package ledger

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// examples is how many violations of one rule are shown.
const examples = 5

// Totals are the sums of a soak.
type Totals struct {
	Requests, Streams int
	// Results counts by what the client got, Statuses the errors by status.
	Results  map[string]int
	Statuses map[int]int
	// Kinds counts hits by what the upstream did, Targets by what it was asked for.
	Kinds, Targets map[string]int
	// Routes counts requests by what they asked for, and Failed those of them that got an error other than 400.
	Routes, Failed map[string]int
	// Attempts counts requests by the number of their attempts, for those that saw a head.
	Attempts map[int]int
	// Hits is how many requests reached upstreams. Replays are those that were no attempts of their own,
	// Unseen the attempts that reached no upstream, Slow the requests at which a limit of time passed although
	// the upstream had no fault.
	Hits, Replays, Unseen, UnseenDead, Slow int
	// Words counts the words of answers, whole or not.
	Words int
	// Released holds, for clients that left while an upstream stalled, how long that upstream was kept.
	Released []time.Duration
	// Violations counts broken rules, Examples shows some.
	Violations map[string]int
	Examples   []string
}

func newTotals() Totals {
	return Totals{
		Results: map[string]int{}, Statuses: map[int]int{}, Kinds: map[string]int{}, Targets: map[string]int{}, Routes: map[string]int{},
		Failed:   map[string]int{},
		Attempts: map[int]int{}, Violations: map[string]int{},
	}
}

// Names of results, in the order of a report.
const (
	ResultWhole   = "whole answer"
	ResultRefused = "one error"
	ResultCut     = "part of an answer, then one error event"
	ResultLeft    = "client left"
	ResultWrong   = "anything else"
)

// Results lists them.
func Results() []string {
	return []string{ResultWhole, ResultRefused, ResultCut, ResultLeft, ResultWrong}
}

func (o *Outcome) name() string {
	switch {
	case o.Wrong != "":
		return ResultWrong
	case o.Left:
		return ResultLeft
	case o.Result == Whole:
		return ResultWhole
	case o.Result == Cut:
		return ResultCut
	case o.Result == Refused:
		return ResultRefused
	}
	return ResultWrong
}

func (t *Totals) add(e *Entry, c *trial) {
	t.Requests++
	if e.Question.Stream {
		t.Streams++
	}
	t.Results[c.o.name()]++
	t.Routes[e.Route.Model]++
	if c.o.Result == Refused {
		t.Statuses[c.o.Status]++
		if c.o.Status != http.StatusBadRequest {
			t.Failed[e.Route.Model]++
		}
	}
	if c.o.Status != 0 {
		t.Attempts[c.o.Attempts]++
	}
	t.Words += c.o.Words
	t.Hits += len(e.hits)
	t.Replays += c.replays
	if e.Route.Dead {
		t.UnseenDead += c.unseen
	} else {
		t.Unseen += c.unseen
	}
	if c.slow {
		t.Slow++
	}
	for _, h := range e.hits {
		t.Kinds[h.Kind.Name]++
		t.Targets[h.Target]++
		if c.o.Left && h.Kind.Timeout && !h.Ended.IsZero() && h.Began.Before(c.o.Ended) && h.Ended.After(c.o.Ended) {
			t.Released = append(t.Released, h.Ended.Sub(c.o.Ended))
		}
	}
	for _, b := range c.breaches {
		t.violate(b.rule, e, b.detail)
	}
}

// violate counts a broken rule; the entry, which may be nil, is locked.
func (t *Totals) violate(rule string, e *Entry, detail string) {
	t.Violations[rule]++
	if t.Violations[rule] > examples {
		return
	}
	text := rule + ": " + detail
	if e != nil {
		text += "\n" + e.story()
	}
	t.Examples = append(t.Examples, text)
}

// Broken returns how many rules were broken, each time counted.
func (t *Totals) Broken() int {
	n := 0
	for _, c := range t.Violations {
		n += c
	}
	return n
}

// story tells what happened to a request.
func (e *Entry) story() string {
	var b strings.Builder
	o := &e.outcome
	at := func(when time.Time) string {
		if when.IsZero() {
			return "?"
		}
		return when.Sub(o.Began).Round(time.Millisecond).String()
	}
	fmt.Fprintf(&b, "    %s asked %s (stream %v, usage %v, %d bytes) and after %s had: %s, status %d, attempts %d, target %q, hit %d, %d words, %q\n",
		e.Question.ID, e.Route.Model, e.Question.Stream, e.Question.Usage, e.Question.Padding, at(o.Ended), o.name(), o.Status, o.Attempts, o.Target,
		o.Answer.Hit, o.Words, o.Message)
	for _, h := range e.hits {
		fmt.Fprintf(&b, "    hit %d at %s on %s as %q: %s, ended %s, connection reused %v, proxy gone %v\n", h.Number, at(h.Began), h.Upstream, h.Target,
			h.Kind.Name, at(h.Ended), h.Reused, h.Gone)
	}
	return b.String()
}
