package dispatch_test

import (
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/core/signal"
)

func counted(tokens int) string {
	return `data: {"id":"x","choices":[],"usage":{"prompt_tokens":3,"completion_tokens":` + strconv.Itoa(tokens) + `}}` + "\n\n"
}

// detailed has everything measured of target a.
func (h *harness) detailed() signal.Key {
	k := h.target("a").Signal
	h.board.Want(map[signal.Key]signal.Detail{k: signal.WantSpread | signal.WantThroughput})
	return k
}

func about(a, b, tolerance float64) bool { return math.Abs(a-b) <= tolerance*b }

func TestThroughputIsThatBehindTheFirstToken(t *testing.T) {
	for name, c := range map[string]struct {
		upstream []string
		body     string
		want     float64
	}{
		"a stream":              {[]string{token("a"), token("b"), stop, counted(41), done}, streamed, 10},
		"usage is not told":     {[]string{token("a"), token("b"), stop, done}, streamed, 0},
		"only one token":        {[]string{token("a"), stop, counted(1), done}, streamed, 0},
		"a stream that breaks":  {[]string{token("a"), token("b"), counted(41)}, streamed, 0},
		"a stream that reports": {[]string{token("a"), token("b"), counted(41), failed}, streamed, 0},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, n *network) {
				a := n.upstream("a", eventsThen(then(
					each(time.Second, 1, c.upstream[0]), each(4*time.Second, 1, c.upstream[1]), say(c.upstream[2:]...),
				)))
				h := n.gateway(t, options{routing: `,"retries":0`}, a)
				k := h.detailed()
				h.post(c.body)
				got, answers := h.board.Throughput(k, time.Now())
				if !about(got, c.want, 1e-3) || (answers > 0) != (c.want > 0) {
					t.Errorf("got %v tokens a second of %v answers, want %v", got, answers, c.want)
				}
			})
		})
	}
}

func TestThroughputOfWholeAnswersIsOverTheirWholeTime(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		h := n.gateway(t, options{}, n.upstream("a", then(each(4*time.Second, 1, ""), wordy(100))))
		k := h.detailed()
		h.post(question).served(t)
		if got, _ := h.board.Throughput(k, time.Now()); !about(got, 25, 1e-3) {
			t.Errorf("got %v tokens a second, want 25", got)
		}
	})
}

func TestPercentilesAreOfTheFirstTokenAndOfWholeAnswers(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		h := n.gateway(t, options{}, n.upstream("a",
			eventsThen(then(each(2*time.Second, 1, token("a")), each(time.Minute, 1, stop), say(done))),
			then(each(7*time.Second, 1, ""), answer("x")),
		))
		k := h.detailed()
		h.post(streamed)
		h.post(question)
		ttft, total := h.board.Spread(k, signal.TTFT, time.Now()), h.board.Spread(k, signal.Total, time.Now())
		if !about(ttft.P50, 2, 0.06) || !about(total.P99, 7, 0.06) {
			t.Errorf("got %+v and %+v, want 2 s to the first token and 7 s in all", ttft, total)
		}
	})
}

func TestQuotaIsWhatTheLastAnswerSaid(t *testing.T) {
	limits := func(left string) []string {
		return []string{"x-ratelimit-limit-requests", "100", "x-ratelimit-remaining-requests", left, "x-ratelimit-reset-requests", "30s"}
	}
	bubble(t, func(t *testing.T, n *network) {
		h := n.gateway(t, options{routing: `,"retries":0`}, n.upstream("a",
			status(200, `{"choices":[]}`, limits("40")...), status(400, `{}`, limits("30")...),
			status(429, `{}`, limits("0")...), status(503, `{}`), answer("x"),
		))
		k := h.target("a").Signal
		if _, known := h.board.Quota(k, time.Now()); known {
			t.Error("a quota is known before anything was said")
		}
		for i, want := range []float64{0.4, 0.3, 0, 0} {
			h.post(question)
			if got, known := h.board.Quota(k, time.Now()); !known || math.Abs(got-want) > 1e-9 {
				t.Errorf("after answer %d: got %v, %v; want %v", i+1, got, known, want)
			}
		}
		time.Sleep(31 * time.Second)
		if got, known := h.board.Quota(k, time.Now()); !known || got != 1 {
			t.Errorf("after the reset: got %v, %v; want all of it", got, known)
		}
	})
}
