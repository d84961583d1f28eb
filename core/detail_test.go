package core_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/signal"
)

// scored writes a scored routing.
func scored(id, profile string, targets ...string) string {
	return strings.Replace(routing(id, targets...), `"strategy":"failover"`, `"strategy":"scored","profile":"`+profile+`"`, 1)
}

func TestDetailsAreMeasuredOfWhatScoredRoutingsLookAt(t *testing.T) {
	snapshot, faults := core.Compile(document(t, providerP, modelA, modelB,
		`model/c {"provider":"p","upstream_model":"o"}`, `model/d {"provider":"p","upstream_model":"q"}`,
		`profile/slow {"prefer":{"p90":"2s"}}`, `profile/fast {"prefer":{"min_throughput":20},"optimize":{"latency":1}}`,
		`profile/plain {"optimize":{"health":1,"quota":0.5}}`,
		`profile/strict {"optimize":{"latency":1},"missing":{"quota":"exclude"}}`, scored("strict", "strict", "d"),
		routing("inner", "b"), scored("outer", "slow", "a", "inner"), scored("swift", "fast", "b", "c"), scored("plain", "plain", "d"),
		routing("above", "outer", "d"), routing("rest", "d"),
	), core.Site{})
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	want := map[signal.Key]signal.Detail{}
	for model, d := range map[string]signal.Detail{"a": signal.WantSpread, "b": signal.WantSpread | signal.WantThroughput, "c": signal.WantThroughput} {
		g, _ := snapshot.Group(model)
		want[g.Members[0].Target.Signal] = d
	}
	if got := snapshot.Details(); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for id, want := range map[string]struct {
		details signal.Detail
		quota   bool
	}{
		"inner": {0, false}, "outer": {signal.WantSpread, true}, "above": {signal.WantSpread, true}, "swift": {signal.WantThroughput, false},
		"plain": {0, true}, "strict": {0, true}, "rest": {0, false}, "a": {0, false},
	} {
		g, _ := snapshot.Group(id)
		if g.Details != want.details || g.ByQuota != want.quota {
			t.Errorf("%s asks for %b and quota %v, want %b and %v", id, g.Details, g.ByQuota, want.details, want.quota)
		}
	}
}
