package ledger

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/sluice-gateway/sluice/tests/soak/fault"
)

// Limits are the timeouts that every target of the soak has.
type Limits struct{ FirstToken, Idle, Attempt time.Duration }

// lateHit is how long after a client's end the last request of its may reach an upstream: it was on its way,
// and the upstream was busy.
const lateHit = 2 * time.Second

// near is the share of a limit that counts as the limit: clocks of three processes are compared.
const near = 0.8

// trial is one entry before the judge.
type trial struct {
	e      *Entry
	o      *Outcome
	limits Limits
	// replays is how many hits were no attempts of their own, and unseen how many attempts were no hits.
	replays, unseen int
	slow            bool // a limit passed at an upstream that had no fault
	breaches        []breach
}

// breach is a rule that was broken, and how.
type breach struct{ rule, detail string }

func (t *trial) breach(rule, format string, args ...any) {
	t.breaches = append(t.breaches, breach{rule, fmt.Sprintf(format, args...)})
}

// judge says what was wrong with a request that has ended.
func judge(e *Entry, l Limits) *trial {
	t := &trial{e: e, o: &e.outcome, limits: l}
	if t.o.Wrong != "" {
		t.breach("wrong answer", "%s", t.o.Wrong)
	}
	for _, h := range e.hits {
		if h.Complaint != "" {
			t.breach("wrong request upstream", "hit %d: %s", h.Number, h.Complaint)
		}
		if late := h.Began.Sub(t.o.Ended); late > lateHit {
			t.breach("tried after the end", "hit %d came %v after the client had its answer or had left", h.Number, late)
		}
	}
	t.count()
	t.walk()
	if t.o.Wrong == "" && !t.o.Left {
		t.end()
	}
	return t
}

// count compares the attempts that the head admits with the hits.
func (t *trial) count() {
	hits, silent := len(t.e.hits), 0
	for _, h := range t.e.hits {
		if h.Kind.Silent {
			silent++
		}
	}
	if most := t.e.Route.most() + silent; hits > most {
		t.breach("too many attempts", "%d hits, at most %d are allowed", hits, most)
	}
	if t.o.Status == 0 {
		return
	}
	t.replays, t.unseen = max(hits-t.o.Attempts, 0), max(t.o.Attempts-hits, 0)
	if t.replays > silent {
		t.breach("attempts miscounted", "%d hits of which %d broke off silently, x-sluice-attempts says %d", hits, silent, t.o.Attempts)
	}
	if t.o.Attempts > t.e.Route.most() {
		t.breach("too many attempts", "x-sluice-attempts says %d, at most %d are allowed", t.o.Attempts, t.e.Route.most())
	}
}

// walk checks that each hit gave a reason for the one after it.
func (t *trial) walk() {
	run, silent, left := 0, 0, map[string]bool{}
	for i, h := range t.e.hits {
		if i == 0 {
			run = 1
			continue
		}
		before := t.e.hits[i-1]
		if before.Kind.Silent {
			silent++
		}
		if before.Target == h.Target {
			if run++; run > 1+t.e.Route.Retries+silent {
				t.breach("too many retries", "%d hits in a row on %s", run, h.Target)
			}
		} else {
			run, silent = 1, 0
			left[before.Target] = true
		}
		if left[h.Target] {
			t.breach("came back", "hit %d is on %s again", h.Number, h.Target)
		}
		if !slices.ContainsFunc(t.verdicts(i-1), func(v fault.Verdict) bool { return t.allows(v, before, h) }) {
			t.breach("tried again without a reason", "hit %d on %s after %q on %s", h.Number, h.Target, before.Kind.Name, before.Target)
		}
	}
}

// allows tells whether the verdict on one hit allows the next.
func (t *trial) allows(v fault.Verdict, before, next *Hit) bool {
	again := v.Retried || v.Silent || v.Limited && t.e.Route.RetryOn429
	over := v.FallsOver || v.Refused && t.e.Route.FallsOver400
	if before.Target == next.Target {
		return again
	}
	return over
}

// verdicts returns what may have come of a hit: what its kind says, or a timeout if it took as long as one.
func (t *trial) verdicts(i int) []fault.Verdict {
	h := t.e.hits[i]
	out := []fault.Verdict{h.Kind.Verdict}
	if h.Kind.Timeout {
		return out
	}
	since, until := t.o.Began, t.o.Ended
	if i > 0 {
		since = t.e.hits[i-1].Began
	}
	if i+1 < len(t.e.hits) {
		until = t.e.hits[i+1].Began
	}
	limit := t.limits.Attempt
	if t.e.Question.Stream {
		limit = min(limit, t.limits.FirstToken, t.limits.Idle)
	}
	if until.Sub(since) >= time.Duration(near*float64(limit)) {
		out = append(out, fault.Verdict{FallsOver: true, Timeout: true, Status: http.StatusGatewayTimeout},
			fault.Verdict{Committed: true, Timeout: true, Status: http.StatusGatewayTimeout})
	}
	return out
}

// end checks that what the client got follows from the last hit.
func (t *trial) end() {
	switch t.o.Result {
	case Whole:
		t.whole()
	case Cut:
		t.committed()
	case Refused:
		t.refused()
	case Nothing:
		t.breach("no answer", "the client stayed and got nothing")
	}
	if last := t.last(); last != nil && !t.maybeUnseen() && t.o.Target != last.Target {
		t.breach("wrong target named", "x-sluice-target says %q, the last hit was on %q", t.o.Target, last.Target)
	}
}

func (t *trial) last() *Hit {
	if len(t.e.hits) == 0 {
		return nil
	}
	return t.e.hits[len(t.e.hits)-1]
}

// whole checks a whole answer: it must be the last hit's, and that one's to give.
func (t *trial) whole() {
	last := t.last()
	if last == nil || t.o.Answer.Hit != last.Number {
		t.breach("not the last answer", "the answer is of hit %d, of %d", t.o.Answer.Hit, len(t.e.hits))
		return
	}
	if !last.Kind.Good {
		t.breach("whole answer from a fault", "hit %d did %q", last.Number, last.Kind.Name)
	}
}

// committed checks an answer that ended in an error event.
func (t *trial) committed() {
	last := t.last()
	if last == nil || t.o.Answer.Hit != last.Number {
		t.breach("not the last answer", "the begin of an answer is of hit %d, of %d", t.o.Answer.Hit, len(t.e.hits))
		return
	}
	for i, v := range t.verdicts(last.Number - 1) {
		if v.Committed {
			t.slow = i > 0
			return
		}
	}
	if !t.overdue() {
		t.breach("answer cut without a reason", "hit %d did %q: %s", last.Number, last.Kind.Name, t.o.Message)
	}
}

// refused checks an error: its status must be what the last hit leads to.
func (t *trial) refused() {
	if t.foreign() {
		t.breach("error of another request", "%s", t.o.Message)
	}
	if t.unattempted() || t.overdue() || t.unseenFailed() {
		return
	}
	last := t.last()
	if last == nil {
		t.breach("error without a reason", "%d %s without any attempt", t.o.Status, t.o.Message)
		return
	}
	for i, v := range t.verdicts(last.Number - 1) {
		if !v.Good && !v.Committed && slices.Contains(t.statuses(v, last.Number-1), t.o.Status) {
			t.slow = i > 0
			return
		}
	}
	t.breach("error without a reason", "%d %s after hit %d did %q", t.o.Status, t.o.Message, last.Number, last.Kind.Name)
}

// statuses returns what the client may be told when the i-th hit was the last and that is its verdict: a
// fallback's objection to the request gives way to the failure of the target before it.
func (t *trial) statuses(v fault.Verdict, i int) []int {
	out := []int{v.Status}
	if !v.Refused {
		return out
	}
	before := i
	for before >= 0 && t.e.hits[before].Target == t.e.hits[i].Target {
		before--
	}
	if before >= 0 {
		out = nil
		for _, b := range t.verdicts(before) {
			out = append(out, t.statuses(b, before)...)
		}
	}
	if t.maybeUnseen() {
		out = append(out, v.Status, http.StatusBadGateway)
	}
	return out
}

// maybeUnseen tells whether some attempt may have reached no upstream.
func (t *trial) maybeUnseen() bool { return t.unseen > 0 || t.e.Route.Dead }

// foreign tells whether the error's text names another request.
func (t *trial) foreign() bool {
	_, id, found := strings.Cut(t.o.Message, "request ")
	return found && !strings.HasPrefix(id, t.e.Question.ID+" ")
}

// unattempted tells whether the gateway refused without trying because every target cools, and said for how
// long.
func (t *trial) unattempted() bool {
	return t.o.RetryAfter != "" && t.e.Route.Fails && t.o.Status == http.StatusServiceUnavailable && t.o.Attempts == 0 && len(t.e.hits) == 0
}

// overdue tells whether the request's own deadline explains its end.
func (t *trial) overdue() bool {
	d := t.e.Route.Deadline
	return d > 0 && t.o.Ended.Sub(t.o.Began) >= time.Duration(near*float64(d)) &&
		(t.o.Result == Cut || t.o.Status == http.StatusGatewayTimeout)
}

// unseenFailed tells whether an attempt that reached nobody explains the error.
func (t *trial) unseenFailed() bool {
	return t.maybeUnseen() && (t.o.Status == http.StatusBadGateway || t.o.Status == http.StatusGatewayTimeout)
}
