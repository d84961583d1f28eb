package show

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sluice-gateway/sluice/admin/fleet"
	"github.com/sluice-gateway/sluice/core"
)

var now = time.Date(2026, 11, 30, 3, 0, 0, 0, time.UTC)

func node(id string, revision, last int64) fleet.Node {
	return fleet.Node{NodeStatus: core.NodeStatus{
		ID: id, Version: "v1.2", Cell: "eu", Host: "host-1", StartedAt: now.Add(-3*time.Hour - 12*time.Minute), Revision: revision,
	}, Lagging: revision < last}
}

func text(t *testing.T, r fleet.Report) string {
	t.Helper()
	var out strings.Builder
	if err := Fleet(&out, r, now); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestTheWholeFleetIsShown(t *testing.T) {
	rejecting := node("b", 55, 57)
	rejecting.Rejected = []core.Fault{{
		Ref: core.Ref{Kind: core.KindProvider, ID: "p"}, Pointer: "/auth/secret", Rule: "environment", Severity: core.SeverityReject,
		Message: "environment variable X is not set on this node",
	}}
	random := strings.Repeat("0123456789abcdef", 2)
	got := text(t, fleet.Report{Revision: 57, Nodes: []fleet.Node{node("a", 57, 57), rejecting}, Cells: []fleet.Cell{{
		Name:    "eu",
		Members: []fleet.Member{{Node: "a"}, {Node: "b", Error: "version 9 is not known"}},
		Targets: []fleet.Target{
			{
				Models: []string{"alias", "m"}, InFlight: 3, CoolingForSeconds: 12.3, Attempts: 30, Failures: .05, Failing: true,
				TTFT:         fleet.Estimate{Source: fleet.SourceMeasured, LatencySeconds: .42, M3Seconds: .4, M10Seconds: .42, M60Seconds: 1.5, Weight: 17.34, AgeSeconds: new(.8)},
				Total:        fleet.Estimate{Source: fleet.SourceBorrowed, LatencySeconds: .42, M3Seconds: .4, M10Seconds: .42, M60Seconds: 1.5, Weight: 17.34, AgeSeconds: new(.8)},
				Contributors: []fleet.Contributor{{Node: random, Attempts: 20, CoolingForSeconds: 12.3}, {Node: "a", Attempts: 10}}, OtherContributors: 4,
			},
			{
				Models: []string{"failed"}, Attempts: 10, Failures: .9, TTFT: fleet.Estimate{Source: fleet.SourcePrior, AgeSeconds: new(120.0)},
				Total: fleet.Estimate{Source: fleet.SourcePrior, AgeSeconds: new(120.0)}, Contributors: []fleet.Contributor{{Node: "a", Attempts: 10}},
			},
			{Models: []string{"idle"}, TTFT: fleet.Estimate{Source: fleet.SourcePrior}, Total: fleet.Estimate{Source: fleet.SourcePrior}},
		},
	}}})
	want := `revision 57, 2 live nodes in 1 cell

NODE  HOST    CELL  VERSION  UP     REVISION    STATE
a     host-1  eu    v1.2     3h12m  57          serving
b     host-1  eu    v1.2     3h12m  55 (of 57)  LAGGING, REJECTS 1
b does not serve provider/p as stored: /auth/secret: environment variable X is not set on this node

cell eu: signals of 2 nodes
the signals of b count for nothing: version 9 is not known
TARGET   CLASS  LATENCY  3s     10s    60s    SAMPLES  AGE    FAILED  SHARE  IN FLIGHT  STATE                               MEASURED BY
alias,m  ttft   420ms    400ms  420ms  1.50s  17.3     800ms  5%      75%    3          COOLING 12.3s by 01234567, FAILING  01234567:20.0 a:10.0 and 4 more
         total  ~420ms   400ms  420ms  1.50s  17.3     800ms
failed   ttft   -        -      -      -      -        120s   90%     25%    0          in use                              a:10.0
         total  -        -      -      -      -        120s
not tried lately: idle
`
	if diff := cmp.Diff(want, trimmed(got)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// trimmed takes the blanks off the ends of lines.
func trimmed(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

func TestManyModelsThatNobodyTriesFitOnOneLine(t *testing.T) {
	var c fleet.Cell
	for range 1000 {
		c.Targets = append(c.Targets, fleet.Target{Models: []string{"x"}})
	}
	if got := text(t, fleet.Report{Cells: []fleet.Cell{c}}); !strings.Contains(got, "and 990 more\n") || strings.Count(got, "\n") > 6 {
		t.Errorf("got %s", got)
	}
}

func TestTroubleIsWhatKeepsTheFleetFromServingWhatIsStored(t *testing.T) {
	rejecting, leaving := node("r", 57, 57), node("d", 3, 57)
	rejecting.Rejected = []core.Fault{{}}
	leaving.Draining = true
	for name, c := range map[string]struct {
		nodes []fleet.Node
		want  []string
	}{
		"none":               {nil, []string{"no proxy node is live"}},
		"all serve":          {[]fleet.Node{node("a", 57, 57)}, nil},
		"one lags":           {[]fleet.Node{node("a", 57, 57), node("b", 55, 57)}, []string{"1 of 2 nodes lag behind revision 57"}},
		"one rejects":        {[]fleet.Node{rejecting}, []string{"1 of 1 node reject resources"}},
		"who leaves may lag": {[]fleet.Node{node("a", 57, 57), leaving}, nil},
	} {
		if diff := cmp.Diff(c.want, Trouble(fleet.Report{Revision: 57, Nodes: c.nodes})); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
}

func TestUptimesAreShort(t *testing.T) {
	for want, d := range map[string]time.Duration{
		"0s": -time.Hour, "59s": 59 * time.Second, "1m5s": 65 * time.Second, "2h0m": 2 * time.Hour, "3d4h": 76 * time.Hour,
	} {
		if got := up(now.Add(-d), now); got != want {
			t.Errorf("%v: got %s, want %s", d, got, want)
		}
	}
	if got := up(time.Time{}, now); got != "-" {
		t.Errorf("unknown: got %s", got)
	}
}

type closed struct{}

func (closed) Write([]byte) (int, error) { return 0, errors.New("closed") }

func TestAnOutputThatIsClosedIsAnError(t *testing.T) {
	if err := Fleet(closed{}, fleet.Report{}, now); err == nil {
		t.Error("got none")
	}
}
