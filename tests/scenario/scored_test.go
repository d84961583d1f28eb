package scenario

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/core/decision"
	"github.com/sluice-gateway/sluice/core/rank"
	"github.com/sluice-gateway/sluice/tests/upstream"
)

// The targets of the scored routings: the slow one is the cheap one.
const scoredSlow, scoredFast = "scored-slow", "scored-fast"

// profiles are what the routings of the same names go by, the slow target declared first. Probes are kept out, so that
// nothing but the scores decides.
var profiles = map[string]string{
	"scored-latency":   `"optimize":{"latency":1}`,
	"scored-cost":      `"optimize":{"cost":1}`,
	"scored-capped":    `"optimize":{"latency":1},"limits":{"max_cost_usd":0.0001}`,
	"scored-dear":      `"optimize":{"latency":1},"limits":{"max_cost_usd":0.000001}`,
	"scored-hurried":   `"optimize":{"cost":1},"limits":{"max_latency_ms":120}`,
	"scored-hopeless":  `"optimize":{"cost":1},"limits":{"max_latency_ms":1}`,
	"scored-preferred": `"optimize":{"cost":1},"prefer":{"p50":"120ms"}`,
	"scored-quota":     `"optimize":{"quota":1}`,
	"scored-health":    `"optimize":{"health":1}`,
}

func putScored(o *operator, name, profile, first, second string) {
	o.put("routings/"+name, fmt.Sprintf(`{"strategy":"scored","profile":%q,"targets":[{"model":%q},{"model":%q}]}`, profile, first, second))
}

func scoresDecideByWhatTheFleetKnows(t *testing.T, env Environment) {
	env.Scale(t, 2)
	o := newOperator(t, env)
	key := newKey(o, "scored")
	p := pair{
		slow: scoredSlow, fast: scoredFast,
		slowly:  env.Upstream(t, upstream.Behaviour{FirstToken: 250 * time.Millisecond}),
		quickly: env.Upstream(t, upstream.Behaviour{FirstToken: 10 * time.Millisecond}),
	}
	serveWith(o, p.slow, p.slowly, `,"cost":{"input_per_1m":1,"output_per_1m":1}`)
	serveWith(o, p.fast, p.quickly, `,"cost":{"input_per_1m":10,"output_per_1m":10}`)
	for name, members := range profiles {
		o.put("profiles/"+name, fmt.Sprintf(`{"probe_after":"0s",%s}`, members))
		putScored(o, name, name, p.slow, p.fast)
	}
	putScored(o, "scored-latency-reversed", "scored-latency", p.fast, p.slow)
	a, b := env.Proxies()[0], env.Proxies()[1]

	p.measure(t, direct(t, a, key))
	p.measure(t, direct(t, a, key)) // percentiles count from the third answer on
	eventually(t, learntWithin, func() error { return agree(t, []Proxy{a, b}, p.slow, p.fast) })
	client := program(t, b, key)
	p.decides(t, client, direct(t, b, key))
	explainsLimits(t, o)
	p.sparesQuota(t, direct(t, a, key), client)
	healthCounts(t, env, o, direct(t, a, key), client)
}

// decides checks every profile on a node that has measured nothing.
func (p pair) decides(t *testing.T, client *operator, c caller) {
	t.Helper()
	for _, name := range []string{"scored-latency", "scored-latency-reversed"} {
		p.routing = name
		p.rankedRight(t, c)
	}
	for name, want := range map[string]string{
		"scored-cost": p.slow, "scored-capped": p.slow, "scored-hurried": p.fast, "scored-preferred": p.fast,
	} {
		client.says(name, "Say something.").servedBy(t, want, name)
	}
	client.says("scored-dear", "Say something.").refused(t, http.StatusBadRequest, "cost_limit_exceeded", "a price that nobody meets")
	client.says("scored-hopeless", "Say something.").refused(t, http.StatusServiceUnavailable, "no_target_within_limits", "a latency that nobody meets")
}

// explained asks what would be decided.
func (o *operator) explained(question string) decision.Explanation {
	o.t.Helper()
	a := o.must(http.StatusOK, "POST", "/admin/v1/explain", question)
	var e decision.Explanation
	if err := json.Unmarshal([]byte(a.Body), &e); err != nil || e.Ranking == nil || len(e.Ranking.Tiers) == 0 {
		o.t.Fatalf("%s is answered %v: %s", question, err, a.Body)
	}
	return e
}

// explainsLimits checks that an explanation tells who is left out or demoted and why, and that its totals add up.
func explainsLimits(t *testing.T, o *operator) {
	t.Helper()
	for name, c := range map[string]struct{ slow, fast rank.Exclusion }{
		"scored-capped": {fast: rank.ExcludedByCost}, "scored-hurried": {slow: rank.ExcludedByLatency}, "scored-preferred": {},
	} {
		e := o.explained(fmt.Sprintf(`{"model":%q,"request":{"messages":[{"role":"user","content":"Say something."}]}}`, name))
		for _, x := range e.Ranking.Candidates {
			want := c.slow
			if x.Target == scoredFast {
				want = c.fast
			}
			demoted := name == "scored-preferred" && x.Target == scoredSlow
			if x.Excluded != want || (len(x.Demoted) == 1 && x.Demoted[0] == "p50") != demoted {
				t.Errorf("%s: %s is excluded by %q and demoted for %v, want %q and %v", name, x.Target, x.Excluded, x.Demoted, want, demoted)
			}
			addsUp(t, x)
		}
	}
}

// addsUp checks that the contributions are the total, whatever is not known.
func addsUp(t *testing.T, x rank.Candidate) {
	t.Helper()
	sum, weights := 0.0, 0.0
	for _, d := range x.Dimensions {
		sum, weights = sum+d.Contribution, weights+d.Weight
		if math.Abs(d.Contribution-d.Weight*d.Score) > 1e-9 {
			t.Errorf("%s, %s: a contribution of %v of score %v and weight %v", x.Target, d.Dimension, d.Contribution, d.Score, d.Weight)
		}
	}
	if x.Total == nil || math.Abs(sum-*x.Total) > 1e-9 || math.Abs(weights-1) > 1e-9 {
		t.Errorf("%s: contributions of %v and weights of %v for the total %v", x.Target, sum, weights, x.Total)
	}
}

// sparesQuota has each target in turn use up its limit, as one node hears, and asks another.
func (p pair) sparesQuota(t *testing.T, hears caller, client *operator) {
	t.Helper()
	left := func(requests string) upstream.Behaviour {
		return upstream.Behaviour{Header: []string{"X-Ratelimit-Limit-Requests", "100", "X-Ratelimit-Remaining-Requests", requests, "X-Ratelimit-Reset-Requests", "10m"}}
	}
	for _, c := range []struct{ slow, fast, want string }{{"3", "90", p.fast}, {"80", "2", p.slow}} {
		p.slowly.Behave(left(c.slow))
		p.quickly.Behave(left(c.fast))
		for _, target := range []string{p.slow, p.fast} {
			hears.mustChat(t, target, false)
		}
		eventually(t, learntWithin, func() error {
			if a := client.says("scored-quota", "Say something."); a.Header.Get("X-Sluice-Target") != c.want {
				return fmt.Errorf("served by %q, want %q with the most requests left: %s", a.Header.Get("X-Sluice-Target"), c.want, a.Body)
			}
			return nil
		})
	}
}

// healthCounts and nothing else, for a profile that weighs nothing else; and what is not known of a target gives no weight
// to the order of declaration.
func healthCounts(t *testing.T, env Environment, o *operator, learner caller, client *operator) {
	t.Helper()
	flaky, steady := env.Upstream(t, upstream.Behaviour{}), env.Upstream(t, upstream.Behaviour{FirstToken: 40 * time.Millisecond})
	serveWith(o, "scored-flaky", flaky, `,"cooldown":{"duration":"0s"}`)
	serve(o, "scored-steady", steady)
	putScored(o, "scored-healthy", "scored-health", "scored-flaky", "scored-steady")
	o.put("routings/scored-default", `{"strategy":"scored","targets":[{"model":"scored-flaky"},{"model":"scored-steady"}]}`)
	unknown := o.explained(`{"model":"scored-default","facts":{"input_tokens":10}}`)
	for _, x := range unknown.Ranking.Candidates {
		addsUp(t, x)
		for _, d := range x.Dimensions {
			if d.Dimension == "priority" && d.Contribution != 0 || d.Dimension == "latency" && (!d.Imputed || d.Weight != 0.55) {
				t.Errorf("nothing is known of %s, and %s counts as %+v", x.Target, d.Dimension, d)
			}
		}
	}
	flaky.Behave(upstream.Behaviour{Status: http.StatusInternalServerError, Message: "down"})
	for range 2 {
		if _, err := learner.chat(t.Context(), "scored-flaky", false); err == nil {
			t.Error("a target that should fail answers")
		}
	}
	flaky.Behave(upstream.Behaviour{})
	for range 3 {
		learner.mustChat(t, "scored-flaky", false)
		learner.mustChat(t, "scored-steady", false)
	}
	eventually(t, learntWithin, func() error {
		if a := client.says("scored-healthy", "Say something."); a.Header.Get("X-Sluice-Target") != "scored-steady" {
			return fmt.Errorf("served by %q, want the one that has not failed: %s", a.Header.Get("X-Sluice-Target"), a.Body)
		}
		return nil
	})
}
