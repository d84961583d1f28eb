package show

import (
	"strings"
	"testing"

	"github.com/sluice-gateway/sluice/core/decision"
	"github.com/sluice-gateway/sluice/core/rank"
)

func f(x float64) *float64 { return &x }

// plan is of a scored routing with another inside, of a target that cools and of one that is left out.
func plan() decision.Plan {
	return decision.Plan{
		Order: []decision.Step{{Target: "a", Probe: true}, {Target: "b", HalfOpen: true}, {Target: "c", Cooling: 2.5}}, MoreTargets: 1,
		Ranking: &rank.Trace{
			Tiers: []rank.TierTrace{
				{Path: []string{"r"}, Priority: 1, Strategy: "scored", Scored: &rank.ScoreTrace{Profile: "p", Leader: "a", RunnerUp: "in", Margin: f(0.25), DecidedBy: rank.DecidedByTotal}},
				{Path: []string{"r", "in"}, Spare: true, Strategy: "semantic", Semantic: &rank.RouteTrace{State: rank.MeaningNotReady, Fallback: true}},
			},
			Candidates: []rank.Candidate{
				{Target: "a", Path: []string{"r"}, Position: 1, Priority: 1, Weight: 1, Total: f(0.75), Class: "answers", Probe: true, Dimensions: []rank.DimensionTrace{
					{Dimension: "latency", Raw: f(0.5), Unit: "s", Source: "measured", Samples: f(3), Age: f(2), Score: 0.75, Weight: 1, Contribution: 0.75},
					{Dimension: "cost", Unit: "usd", Source: "prior", Imputed: true},
				}, Evidence: []rank.Evidence{{Expected: 0.5, Samples: 3, Failures: 0.25, Inflight: 2}}},
				{Routing: "in", Path: []string{"r"}, Position: 2, Demoted: []string{"p99"}},
				{Target: "b", Path: []string{"r", "in"}, Position: 2, Semantic: &rank.MeaningTrace{Score: f(0.8), Threshold: f(0.7), Cleared: true}},
				{Target: "d", Path: []string{"r", "in"}, Excluded: rank.ExcludedByTag},
			},
		},
	}
}

// holds checks that the text has the words of each line in this order, whatever the columns' width.
func holds(t *testing.T, text string, lines ...string) {
	t.Helper()
	squeezed := strings.Join(strings.Fields(text), " ")
	for _, line := range lines {
		at := strings.Index(squeezed, line)
		if at < 0 {
			t.Errorf("%q is missing, or not where it should be:\n%s", line, text)
			continue
		}
		squeezed = squeezed[at+len(line):]
	}
}

func TestAnExplanationIsShownWithWhatItIsMadeOf(t *testing.T) {
	var out strings.Builder
	if err := Explanation(&out, decision.Explanation{Node: "n1", Model: "r", Revision: 7, Stream: true, Plan: plan()}); err != nil {
		t.Fatal(err)
	}
	holds(t, out.String(), "r on node n1 at revision 7, a stream", "decided in short: strategy=scored",
		"1 a probe", "2 b half-open", "3 c COOLING 2.50s", "and 1 target more",
		"r, tier 1: scored, profile p, a leads in by 0.2500 (total)", "r > in, tier 0: semantic, weight 0, meaning not_ready, the fallback serves",
		"1 a 1 1 total 0.75 500ms 3.0 25% 2 answers, probe", "2 in > 0 0 - - - - - demoted by p99", "2 b 0 0 cosine 0.8000, bar 0.7000",
		"- d 0 0 - - - - - LEFT OUT: tag", "a latency 0.5 s measured 3.0 2.00s 0.7500 1.0000 0.7500", "a cost - prior (imputed)", "a total 0.7500")
}

func TestADecisionIsShownWithItsAttempts(t *testing.T) {
	var out strings.Builder
	d := decision.Decision{RequestID: "x", Node: "n1", Model: "r", Caller: "k", Plan: decision.Plan{Order: []decision.Step{{Target: "a"}}}, MoreAttempts: 2}
	d.Attempts = []decision.Attempt{{Target: "a", Outcome: "timeout", Elapsed: 3, Cooled: true}, {Target: "b", Outcome: "ok", Status: 200, Elapsed: 1, FirstToken: 0.2}}
	if err := Decision(&out, d); err != nil {
		t.Fatal(err)
	}
	holds(t, out.String(), "request x of k: r on node n1", "1 a ready", "was not kept", "1 a timeout, COOLED - 3.00s -", "2 b ok 200 1.00s 200ms", "and 2 attempts more", "under way")
	d.Refused, d.Outcome, d.Status = &decision.Refusal{Reason: "cooling", Status: 503, Message: "No target."}, "cooling", 503
	out.Reset()
	if err := Decision(&out, d); err != nil {
		t.Fatal(err)
	}
	holds(t, out.String(), "refused with 503 (cooling): No target.", "ended with cooling, status 503")
}
