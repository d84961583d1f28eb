package scenario

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"testing"
	"time"
)

// account is what a node says of itself at /status.
type account struct {
	node
	Store struct {
		Connected bool `json:"connected"`
	} `json:"store"`
	Peers   int `json:"peers"`
	Sharing struct {
		Degraded        bool    `json:"degraded"`
		IntervalSeconds float64 `json:"interval_seconds"`
	} `json:"sharing"`
	Targets  []target   `json:"targets"`
	Semantic []compared `json:"semantic"`

	raw []byte
}

// target is what is known of one model's upstream.
type target struct {
	Model    string    `json:"model"`
	Cooling  float64   `json:"cooling_for_seconds"`
	InFlight int       `json:"in_flight"`
	TTFT     *estimate `json:"ttft"`
	Total    *estimate `json:"total"`
}

// compared is how far the examples of a semantic routing are.
type compared struct {
	Routing string `json:"routing"`
	Ready   bool   `json:"ready"`
}

// estimate is of one class of requests; nil: none was measured.
type estimate struct {
	Latency float64 `json:"latency_seconds"`
	Weight  float64 `json:"weight"`
}

// status returns the node's account of itself.
func status(t *testing.T, p Proxy) account {
	t.Helper()
	a, err := (&operator{t: t, url: p.Status, http: http.DefaultClient}).send(http.MethodGet, "/status", "")
	if err != nil {
		t.Fatal(err)
	}
	out := account{raw: []byte(a.Body)}
	if err := json.Unmarshal(out.raw, &out); err != nil || out.ID == "" {
		t.Fatalf("%s/status names no id: %v\n%s", p.Status, err, out.raw)
	}
	return out
}

// idOf returns the name of the node in the fleet.
func idOf(t *testing.T, p Proxy) string {
	t.Helper()
	return status(t, p).ID
}

// connected returns nil when the node says that it reaches the store, or does not, as wanted.
func connected(t *testing.T, p Proxy, want bool) error {
	t.Helper()
	if a := status(t, p); a.Store.Connected != want {
		return fmt.Errorf("%s/status: connected is %v, want %v: %s", p.Status, a.Store.Connected, want, a.raw)
	}
	return nil
}

// of returns what is known of a model.
func (a account) of(t *testing.T, model string) target {
	t.Helper()
	for _, m := range a.Targets {
		if m.Model == model {
			return m
		}
	}
	t.Fatalf("node %s does not serve %q: %s", a.ID, model, a.raw)
	return target{}
}

// knows returns nil when the node has an estimate for both classes of every one of the models.
func knows(t *testing.T, p Proxy, models ...string) error {
	t.Helper()
	a := status(t, p)
	for _, model := range models {
		if m := a.of(t, model); m.TTFT == nil || m.Total == nil {
			return fmt.Errorf("%s has no estimate for %q: %s", p.Status, model, a.raw)
		}
	}
	return nil
}

// agreement is how far two nodes may differ that have the same samples: by what fades between two questions.
const agreement = 0.01

// agree returns nil when all nodes know both classes of the models, and the same of them.
func agree(t *testing.T, nodes []Proxy, models ...string) error {
	t.Helper()
	first := status(t, nodes[0])
	for _, p := range nodes {
		a := status(t, p)
		for _, model := range models {
			want, got := first.of(t, model), a.of(t, model)
			if differ(want.TTFT, got.TTFT) || differ(want.Total, got.Total) {
				return fmt.Errorf("%s and %s differ about %q:\n%s\n%s", first.ID, a.ID, model, first.raw, a.raw)
			}
		}
	}
	return nil
}

func differ(a, b *estimate) bool {
	return a == nil || b == nil || apart(a.Latency, b.Latency) > agreement || apart(a.Weight, b.Weight) > untold
}

func apart(a, b float64) float64 { return math.Abs(math.Log(a / b)) }

// untold is by how much weights may differ: a tenth more samples is not worth a write, and what is read at two
// moments has decayed between them.
const untold = 0.25

// twoIntervals is by when what one node knows is known to all, SIGNALS.md §6.7: two writes, and half a second to
// deliver and to fold.
func twoIntervals(a account) time.Duration {
	return time.Duration(2*a.Sharing.IntervalSeconds*float64(time.Second)) + 500*time.Millisecond
}
