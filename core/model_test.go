package core_test

import (
	"strings"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/core"
)

// compileModel compiles model m with the given further members.
func compileModel(t *testing.T, extra string) (*core.Target, []core.Fault) {
	t.Helper()
	s, faults := core.Compile(document(t, providerP, `model/m {"provider":"p","upstream_model":"u",`+extra+`}`), core.Site{})
	if len(s.Targets()) == 0 {
		return nil, faults
	}
	return s.Targets()[0], faults
}

func TestParametersBecomeChangesInOrder(t *testing.T) {
	target, faults := compileModel(t, `"parameters":{"set":{"top_p":0.50,"stop":[ "a", "b" ],"user":null},"remove":["seed","logprobs"]}`)
	wantFaults(t, "parameters", faults)
	var got []string
	for _, c := range target.Changes {
		if c.Value == nil {
			got = append(got, "-"+c.Name)
			continue
		}
		got = append(got, c.Name+"="+string(c.Value))
	}
	if s, want := strings.Join(got, " "), `-logprobs -seed stop=["a","b"] top_p=0.50 user=null`; s != want {
		t.Errorf("got %s, want %s", s, want)
	}
}

func TestHealthCheckHasItsDefaults(t *testing.T) {
	if target, _ := compileModel(t, `"labels":{}`); target.Health != nil {
		t.Errorf("a model without a health check: got %+v, want none", target.Health)
	}
	target, faults := compileModel(t, `"health_check":{}`)
	wantFaults(t, "defaults", faults)
	if want := (core.HealthPolicy{Path: "/models", Interval: 30 * time.Second, Timeout: 5 * time.Second, Failures: 2}); *target.Health != want {
		t.Errorf("got %+v, want %+v", *target.Health, want)
	}
	target, faults = compileModel(t, `"health_check":{"path":"/up","interval":"1s","timeout":"10ms","failures":1}`)
	wantFaults(t, "given", faults)
	if want := (core.HealthPolicy{Path: "/up", Interval: time.Second, Timeout: 10 * time.Millisecond, Failures: 1}); *target.Health != want {
		t.Errorf("got %+v, want %+v", *target.Health, want)
	}
}

func TestModelSettingsOutOfBoundsPointAtTheirField(t *testing.T) {
	for extra, want := range map[string]string{
		`"parameters":{"set":{"model":"x"}}`:                "/parameters/set/model reserved reject",
		`"parameters":{"set":{"stream":true}}`:              "/parameters/set/stream reserved reject",
		`"parameters":{"remove":["a","stream_options"]}`:    "/parameters/remove/1 reserved reject",
		`"parameters":{"set":{"MODEL":"x"}}`:                "/parameters/set/MODEL reserved reject",
		`"parameters":{"set":{"\u017ftream":true}}`:         "/parameters/set/ſtream reserved reject",
		`"parameters":{"remove":["Stream_Options"]}`:        "/parameters/remove/0 reserved reject",
		`"parameters":{"set":{"a/b":1},"remove":["a/b"]}`:   "/parameters/remove/0 exclusive reject",
		`"cooldown":{"duration":"10s","max":"9999ms"}`:      "/cooldown/max minimum reject",
		`"cooldown":{"duration":"10s","max":"0s"}`:          "/cooldown/max minimum reject",
		`"cooldown":{"max":"1s"}`:                           "/cooldown/max minimum reject",
		`"cooldown":{"duration":"10m"}`:                     "/cooldown/max minimum reject",
		`"health_check":{"path":"models"}`:                  "/health_check/path path reject",
		`"health_check":{"path":"/models?x"}`:               "/health_check/path path reject",
		`"health_check":{"interval":"999ms"}`:               "/health_check/interval minimum reject",
		`"health_check":{"timeout":"0s"}`:                   "/health_check/timeout minimum reject",
		`"health_check":{"failures":0}`:                     "/health_check/failures minimum reject",
		`"cost":{"input_per_1m":-1,"output_per_1m":1}`:      "/cost minimum reject",
		`"cost":{"input_per_1m":1,"output_per_1m":-0.0001}`: "/cost minimum reject",
	} {
		_, faults := compileModel(t, extra)
		wantFaults(t, extra, faults, "model/m#"+want)
	}
}

func TestCooldownMayBeItsOwnMaximumOrNone(t *testing.T) {
	for _, cooldown := range []string{`{"duration":"10s","max":"10s"}`, `{"duration":"1s","max":"5s"}`, `{"duration":"0s","max":"0s"}`, `{"duration":"0s","max":"1s"}`, `{"max":"10s"}`, `{"duration":"5m"}`} {
		_, faults := compileModel(t, `"cooldown":`+cooldown)
		wantFaults(t, cooldown, faults)
	}
}

func TestLimitsOfARoutingStandOverTheTargets(t *testing.T) {
	s, faults := core.Compile(document(t, providerP, modelA, `routing/r {"strategy":"failover","targets":[{"model":"a"}],"timeouts":{"idle":"3s","attempt":"0s"}}`), core.Site{})
	wantFaults(t, "timeouts of a routing", faults)
	g, _ := s.Group("r")
	limits := g.Members[0].Target.Limits
	want := limits
	want.Idle, want.Attempt = 3*time.Second, 0
	if got := limits.Over(g.Timeouts); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := limits.Over(nil); got != limits {
		t.Errorf("over nothing: got %+v, want %+v", got, limits)
	}
}
