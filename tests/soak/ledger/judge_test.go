package ledger

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/tests/soak/fault"
	"github.com/sluice-gateway/sluice/tests/soak/truth"
)

var (
	began  = time.Now()
	limits = Limits{FirstToken: 2 * time.Second, Idle: 2 * time.Second, Attempt: 5 * time.Second}
)

// story is a request: "target kind" for each hit, a tenth of a second apart, and what the client got.
type story struct {
	route   Route
	hits    []string
	outcome Outcome
}

func (s story) judged(t *testing.T) string {
	t.Helper()
	l := New(limits)
	e := l.Open(truth.Question{ID: "r1", Model: "x"}, s.route)
	for i, h := range s.hits {
		target, name, _ := strings.Cut(h, " ")
		at := began.Add(time.Duration(i) * 100 * time.Millisecond)
		l.Hit("r1", &Hit{Target: target, Kind: fault.Named(name), Began: at, Ended: at})
	}
	s.outcome.Began, s.outcome.Ended = began, began.Add(time.Duration(len(s.hits))*100*time.Millisecond)
	l.Close(e, s.outcome)
	l.Judge(time.Time{})
	return strings.Join(slices.Sorted(maps.Keys(l.Totals().Violations)), ", ")
}

func whole(target string, attempts, hit int) Outcome {
	return Outcome{Result: Whole, Status: 200, Attempts: attempts, Target: target, Answer: truth.Answer{ID: "r1", Hit: hit}}
}

func cut(target string, attempts, hit int) Outcome {
	o := whole(target, attempts, hit)
	o.Result = Cut
	return o
}

func refused(status int, target string, attempts int) Outcome {
	return Outcome{Result: Refused, Status: status, Attempts: attempts, Target: target, Message: "request r1 failed"}
}

func TestTheJudgeAcceptsWhatTheTableSays(t *testing.T) {
	two := Route{Retries: 1, MaxFallbacks: 1}
	for _, s := range []story{
		{two, []string{"a plain"}, whole("a", 1, 1)},
		{two, []string{"a 500", "a plain"}, whole("a", 2, 2)},
		{two, []string{"a 500", "a 500", "b plain"}, whole("b", 3, 3)},
		{two, []string{"a 429", "b plain"}, whole("b", 2, 2)},
		{two, []string{"a 500", "b 400"}, refused(500, "b", 2)},
		{two, []string{"a 400"}, refused(400, "a", 1)},
		{two, []string{"a 401"}, refused(502, "a", 1)},
		{two, []string{"a ends after content"}, cut("a", 1, 1)},
		{two, []string{"a reset before the head", "a plain"}, whole("a", 1, 2)},
		{two, []string{"a reset before the head", "a plain"}, whole("a", 2, 2)},
		{two, []string{"a 500"}, Outcome{Left: true}},
		{Route{Fails: true}, nil, Outcome{Result: Refused, Status: 503, RetryAfter: "1"}},
		{Route{Retries: 1, RetryOn429: true}, []string{"a 429", "a plain"}, whole("a", 2, 2)},
	} {
		if got := s.judged(t); got != "" {
			t.Errorf("%v, %+v: got %s, want no complaint", s.hits, s.outcome, got)
		}
	}
}

func TestTheJudgeFindsWhatTheTableForbids(t *testing.T) {
	two := Route{Retries: 1, MaxFallbacks: 1}
	for want, s := range map[string]story{
		"wrong answer":                  {two, []string{"a plain"}, Outcome{Wrong: "glued"}},
		"no answer":                     {two, []string{"a plain"}, Outcome{Status: 200, Attempts: 1, Target: "a"}},
		"too many attempts":             {Route{MaxFallbacks: 1}, []string{"a 500", "b 500", "c plain"}, whole("c", 3, 3)},
		"attempts miscounted":           {two, []string{"a 500", "a plain"}, whole("a", 1, 2)},
		"too many retries":              {Route{Retries: 1, MaxFallbacks: 2}, []string{"a 500", "a 500", "a plain"}, whole("a", 3, 3)},
		"came back":                     {Route{Retries: 1, MaxFallbacks: 2}, []string{"a 500", "b 500", "a plain"}, whole("a", 3, 3)},
		"tried again without a reason":  {two, []string{"a 400", "b plain"}, whole("b", 2, 2)},
		"not the last answer":           {two, []string{"a 500", "a plain"}, whole("a", 2, 1)},
		"whole answer from a fault":     {two, []string{"a 500"}, whole("a", 1, 1)},
		"answer cut without a reason":   {two, []string{"a plain"}, cut("a", 1, 1)},
		"error without a reason":        {two, []string{"a plain"}, refused(502, "a", 1)},
		"error of another request":      {two, []string{"a 500"}, Outcome{Result: Refused, Status: 500, Attempts: 1, Target: "a", Message: "request r12 failed"}},
		"wrong target named":            {two, []string{"a 500"}, refused(500, "b", 1)},
		"tried again without a reason ": {two, []string{"a ends after content", "b plain"}, whole("b", 2, 2)},
		"error without a reason ":       {two, []string{"a 429"}, refused(502, "a", 1)},
		"error without a reason  ":      {two, nil, refused(503, "", 0)},
	} {
		if got := s.judged(t); got != strings.TrimSpace(want) {
			t.Errorf("%v, %+v: got %q, want %q", s.hits, s.outcome, got, want)
		}
	}
}

func TestALimitOfTimeExplainsAnErrorOnlyOnceItCanHavePassed(t *testing.T) {
	for after, want := range map[time.Duration]string{time.Second: "error without a reason", 5 * time.Second: ""} {
		l := New(limits)
		e := l.Open(truth.Question{ID: "r1"}, Route{})
		l.Hit("r1", &Hit{Target: "a", Kind: fault.Named(fault.Plain), Began: began})
		o := refused(504, "a", 1)
		o.Began, o.Ended = began, began.Add(after)
		l.Close(e, o)
		l.Judge(time.Time{})
		if got := strings.Join(slices.Sorted(maps.Keys(l.Totals().Violations)), ", "); got != want {
			t.Errorf("504 after %v: got %q, want %q", after, got, want)
		}
	}
}

func TestARequestThatNobodySentOrThatComesTooLateIsFound(t *testing.T) {
	l := New(limits)
	if e := l.Hit("r1", &Hit{}); e != nil || l.Totals().Broken() != 1 {
		t.Errorf("got entry %v and %v, want none and one violation", e, l.Totals().Violations)
	}
	e := l.Open(truth.Question{ID: "r2"}, Route{})
	l.Hit("r2", &Hit{Target: "a", Kind: fault.Named(fault.StallHead), Began: began.Add(time.Minute)})
	l.Close(e, Outcome{Left: true, Began: began, Ended: began.Add(time.Second)})
	l.Judge(began.Add(time.Second + Grace - 1))
	if l.Unended() != 1 {
		t.Errorf("got it judged before %v had passed", Grace)
	}
	l.Judge(began.Add(time.Second + Grace))
	if n := l.Totals().Violations["tried after the end"]; n != 1 || l.Unended() != 0 {
		t.Errorf("got %d late hits and %d unended, want 1 and 0", n, l.Unended())
	}
}
