package caller

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"github.com/sluice-gateway/sluice/tests/soak/ledger"
	"github.com/sluice-gateway/sluice/tests/soak/truth"
)

const (
	// hangLimit is longer than all the attempts that a request may cause can take together.
	hangLimit = 2 * time.Minute
	// leaveWithin bounds how long a client that leaves stays.
	leaveWithin = 600 * time.Millisecond
	// dawdle is how long a slow reader waits before it reads on, at most.
	dawdle = 20 * time.Millisecond
	// smallPrompt and largePrompt bound the prompts in bytes.
	smallPrompt, largePrompt = 4 << 10, 1 << 20
)

// Config says how a Caller behaves.
type Config struct {
	// Name is part of every request id; no two callers share one.
	Name string
	Rand *rand.Rand
	// Nodes are the base URLs of the gateway's nodes.
	Nodes  []string
	Client *http.Client
	Key    string
	Routes []ledger.Route
	Ledger *ledger.Ledger
}

// Caller is one client.
type Caller struct {
	cfg Config
	n   int
}

// New returns a Caller that has asked nothing yet.
func New(cfg Config) *Caller { return &Caller{cfg: cfg} }

// Run asks until ctx ends; what it has asked by then it still gets.
func (c *Caller) Run(ctx context.Context) {
	for ctx.Err() == nil {
		c.ask(context.WithoutCancel(ctx))
	}
}

// manners is how a client treats one answer.
type manners struct {
	leaves time.Duration // after the start; 0: never
	events int           // leaves after that many events; 0: never
	slow   bool
}

func (c *Caller) manners() manners {
	rng := c.cfg.Rand
	switch p := rng.Float64(); {
	case p < 0.04:
		return manners{leaves: 1 + time.Duration(rng.Int64N(int64(leaveWithin)))}
	case p < 0.06:
		return manners{events: 1 + rng.IntN(6)}
	case p < 0.08:
		return manners{slow: true}
	}
	return manners{}
}

func (c *Caller) question() (truth.Question, ledger.Route) {
	rng := c.cfg.Rand
	route := c.cfg.Routes[rng.IntN(len(c.cfg.Routes))]
	c.n++
	q := truth.Question{
		ID: c.cfg.Name + "-" + strconv.Itoa(c.n), Model: route.Model,
		Stream: rng.IntN(2) == 0, Padding: rng.IntN(smallPrompt),
	}
	q.Usage = q.Stream && rng.IntN(4) == 0
	if rng.IntN(400) == 0 {
		q.Padding = rng.IntN(largePrompt)
	}
	return q, route
}

// ask sends one request and writes down how it ended.
func (c *Caller) ask(ctx context.Context) {
	q, route := c.question()
	m := c.manners()
	node := c.cfg.Nodes[c.cfg.Rand.IntN(len(c.cfg.Nodes))]
	ctx, cancel := context.WithTimeout(ctx, hangLimit)
	defer cancel()
	a := &answer{q: q, manners: m, rng: c.cfg.Rand, cancel: cancel}
	if m.leaves > 0 {
		timer := time.AfterFunc(m.leaves, a.leave)
		defer timer.Stop()
	}
	entry := c.cfg.Ledger.Open(q, route)
	a.out.Began = time.Now()
	a.exchange(ctx, c.cfg.Client, node, c.cfg.Key)
	a.out.Ended = time.Now()
	c.cfg.Ledger.Close(entry, a.out)
}

// exchange sends the request and reads the answer.
func (a *answer) exchange(ctx context.Context, client *http.Client, node, key string) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, node+"/v1/chat/completions", bytes.NewReader(a.q.Body()))
	if err != nil {
		panic("caller: " + err.Error()) // the URL is a listener's
	}
	req.GetBody = nil // nothing is sent twice behind our back
	h := req.Header
	h.Set("Authorization", "Bearer "+key)
	h.Set("Content-Type", "application/json")
	h.Set("X-Request-Id", a.q.ID)
	h.Set("Cookie", "session=of-the-caller")
	resp, err := client.Do(req)
	if err != nil {
		a.broken(fmt.Errorf("no head: %w", err))
		return
	}
	defer resp.Body.Close()
	a.head(resp)
	if a.out.Wrong == "" {
		a.body(resp)
	}
	if a.out.Wrong != "" {
		_, _ = io.CopyN(io.Discard, resp.Body, 1<<16) // for the connection's sake; the verdict stands
	}
}
