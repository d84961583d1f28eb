package httpapi

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sluice-gateway/sluice/admin/fleet"
	"github.com/sluice-gateway/sluice/core"
	"github.com/sluice-gateway/sluice/core/signal"
)

// keyOf returns the signal key of a model of a provider, as a node with the environment has it.
func keyOf(t *testing.T, w *world, model string) signal.Key {
	t.Helper()
	img, err := w.store.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	doc, faults := core.ParseDocument(img.Values())
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	resolved := func(string) (string, bool) { return "the value on this node", true }
	s, _ := core.Compile(doc, core.Site{Env: resolved})
	for _, target := range s.Targets() {
		if target.Model == model {
			return target.Signal
		}
	}
	t.Fatalf("no target %q", model)
	return 0
}

// publish stores what the board holds as the node's signals.
func (n fakeNode) publish(b *signal.Board) {
	n.w.t.Helper()
	n.put(b.Encode(nil, time.Now()))
}

func (n fakeNode) put(value []byte) {
	n.w.t.Helper()
	if _, err := n.member.PutSignals(n.w.t.Context(), value); err != nil {
		n.w.t.Fatal(err)
	}
}

func (w *world) fleet(query string) (r fleet.Report) {
	w.t.Helper()
	if err := json.Unmarshal(w.do("GET", "/admin/v1/fleet"+query, "").want(200).body, &r); err != nil {
		w.t.Fatal(err)
	}
	return r
}

func near(got, want, band float64) bool { return got > want-band && got < want+band }

func TestTheFleetShowsWhatItsNodesHaveMeasuredTogether(t *testing.T) {
	w := newWorld(t)
	w.do("PUT", "/admin/v1/providers/p", `{"kind":"openai","base_url":"https://one.example/v1","auth":{"secret":"${env:UPSTREAM_KEY}"}}`).want(201)
	for _, model := range []string{"m", "alias"} {
		w.do("PUT", "/admin/v1/models/"+model, `{"provider":"p","upstream_model":"gpt"}`).want(201)
	}
	w.do("PUT", "/admin/v1/models/untried", `{"provider":"p","upstream_model":"other"}`).want(201)
	k, now := keyOf(t, w, "m"), time.Now()
	a, b := signal.NewBoard(), signal.NewBoard()
	for range 3 {
		a.Succeed(k, signal.TTFT, time.Second, 0, now)
	}
	a.Begin(k)
	b.Succeed(k, signal.TTFT, 3*time.Second, 0, now)
	b.Fail(k, signal.TTFT, time.Second, 0, now)
	b.Begin(k)
	b.Begin(k)
	b.Cool(k, now.Add(time.Hour), now)
	b.Succeed(signal.Key(7), signal.Total, time.Second, 0, now) // of a model that is gone
	w.join("a", core.NodeStatus{Cell: "default"}).publish(a)
	w.join("b", core.NodeStatus{Cell: "default"}).publish(b)

	r := w.fleet("")
	if len(r.Cells) != 1 || len(r.Cells[0].Targets) != 2 || r.Cells[0].Unconfigured != 1 {
		t.Fatalf("got %+v, want one cell with two upstreams and one key that no model has", r)
	}
	if got := r.Cells[0].Targets[1]; !slices.Equal(got.Models, []string{"untried"}) || got.TTFT.Source != fleet.SourcePrior || got.TTFT.AgeSeconds != nil || len(got.Contributors) != 0 {
		t.Errorf("of what nobody has tried: got %+v", got)
	}
	got := r.Cells[0].Targets[0]
	if !slices.Equal(got.Models, []string{"alias", "m"}) || got.InFlight != 3 || !near(got.CoolingForSeconds, 3600, 60) || !near(got.Attempts, 5, 1) || !(got.Failures > 0) {
		t.Errorf("got %+v", got)
	}
	// What one board would hold that had seen every sample: (3·1 s + 3 s) / 4.
	if e := got.TTFT; e.Source != fleet.SourceMeasured || !near(e.LatencySeconds, 1.5, .01) || !near(e.M3Seconds, 1.5, .01) || !near(e.M60Seconds, 1.5, .01) || !(e.Weight > 0) || e.AgeSeconds == nil {
		t.Errorf("ttft: got %+v, want the mean of all samples", e)
	}
	if e := got.Total; e.Source != fleet.SourceBorrowed || !near(e.LatencySeconds, 1.5, .01) {
		t.Errorf("total: got %+v, want ttft's", e)
	}
	if len(got.Contributors) != 2 {
		t.Fatalf("contributors: %+v", got.Contributors)
	}
	one, two := got.Contributors[0], got.Contributors[1]
	if one.Node != "a" || one.InFlight != 1 || one.CoolingForSeconds != 0 || !(one.TTFTWeight > two.TTFTWeight) || one.TotalWeight != 0 {
		t.Errorf("the node with the most attempts: %+v", one)
	}
	if two.Node != "b" || two.InFlight != 2 || !near(two.CoolingForSeconds, 3600, 60) || !near(two.Attempts, 2, .5) {
		t.Errorf("the node that sets the target aside: %+v", two)
	}
}

func TestAValueAgesFromWhenItWasFirstSeen(t *testing.T) {
	w := newWorld(t)
	w.seed()
	k := keyOf(t, w, "m")
	b := signal.NewBoard()
	b.Succeed(k, signal.Total, time.Second, 0, time.Now())
	n := w.join("a", core.NodeStatus{Cell: "default"})
	n.publish(b)
	first := w.fleet("").Cells[0].Members[0].AgeSeconds
	again := w.fleet("").Cells[0]
	if got := again.Members[0].AgeSeconds; first != 0 || got <= first || again.Targets[0].Contributors[0].AgeSeconds != got {
		t.Errorf("ages: got %v, then %v", first, got)
	}
	n.publish(b)
	if got := w.fleet("").Cells[0].Members[0].AgeSeconds; got != 0 {
		t.Errorf("age of a new value: got %v, want 0", got)
	}
}

func TestCellsAreApart(t *testing.T) {
	w := newWorld(t)
	w.seed()
	k := keyOf(t, w, "m")
	for cell, latency := range map[string]time.Duration{"eu": time.Second, "us": 3 * time.Second} {
		b := signal.NewBoard()
		b.Succeed(k, signal.Total, latency, 0, time.Now())
		w.joinIn(cell, "node-"+cell, core.NodeStatus{Cell: cell}).publish(b)
	}
	both := w.fleet("")
	if len(both.Cells) != 2 || !near(both.Cells[0].Targets[0].Total.LatencySeconds, 1, .01) || !near(both.Cells[1].Targets[0].Total.LatencySeconds, 3, .01) {
		t.Errorf("got %+v, want each cell's own", both.Cells)
	}
	one := w.fleet("?cell=us")
	if len(one.Cells) != 1 || one.Cells[0].Name != "us" || len(one.Nodes) != 1 || one.Nodes[0].ID != "node-us" {
		t.Errorf("?cell=us: got %+v", one)
	}
	if none := w.fleet("?cell=mars"); len(none.Cells) != 0 || len(none.Nodes) != 0 {
		t.Errorf("?cell=mars: got %+v", none)
	}
	for _, cell := range []string{"", "..", "a/b", "%2e%2e%2fnodes"} {
		w.do("GET", "/admin/v1/fleet?cell="+cell, "").problem(400, "bad-request")
	}
}

func TestAValueThatIsNotUnderstoodIsNamedAndCountsForNothing(t *testing.T) {
	w := newWorld(t)
	w.seed()
	k := keyOf(t, w, "m")
	good := signal.NewBoard()
	good.Succeed(k, signal.Total, time.Second, 0, time.Now())
	w.join("good", core.NodeStatus{Cell: "default"}).publish(good)
	w.join("newer", core.NodeStatus{Cell: "default"}).put(append([]byte{255}, good.Encode(nil, time.Now())[1:]...))
	w.join("broken", core.NodeStatus{Cell: "default"}).put([]byte{})
	c := w.fleet("").Cells[0]
	var refused []string
	for _, m := range c.Members {
		if m.Error != "" {
			refused = append(refused, m.Node)
		}
	}
	if want := []string{"broken", "newer"}; !slices.Equal(refused, want) || len(c.Members) != 3 {
		t.Errorf("refused: got %v, want %v: %+v", refused, want, c.Members)
	}
	if diff := cmp.Diff([]string{"good"}, nodesOf(c.Targets[0].Contributors)); diff != "" {
		t.Errorf("contributors (-want +got)\n%s", diff)
	}
}

func nodesOf(contributors []fleet.Contributor) (out []string) {
	for _, c := range contributors {
		out = append(out, c.Node)
	}
	return out
}
