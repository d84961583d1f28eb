package proxy

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/sluice-gateway/sluice/store"
)

// lonely returns a node that has not been run; its etcd is nowhere.
func lonely(t *testing.T) *Node {
	t.Helper()
	st, err := store.Open(store.Config{Endpoints: []string{"http://127.0.0.1:1"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	return New(Config{Store: st})
}

func TestANodeSaysWhyItIsNotReady(t *testing.T) {
	now := time.Now()
	trouble := "credentials refused"
	for name, c := range map[string]struct {
		set  func(*Node)
		says string
	}{
		"never connected":          {func(*Node) {}, "not connected yet"},
		"cannot read":              {func(n *Node) { n.health.Store(&trouble) }, trouble},
		"connected, but read none": {func(n *Node) { n.health.Store(nil) }, "no configuration yet"},
		"not announced":            {func(n *Node) { n.serving.Store(&now) }, errUnannounced.Error()},
		"draining":                 {func(n *Node) { n.serving.Store(&now); n.draining.Store(true) }, errDraining.Error()},
	} {
		n := lonely(t)
		c.set(n)
		if err := n.ready(now); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %v, want %q", name, err, c.says)
		}
	}
}

func TestANodeThatCannotAnnounceItselfTakesTrafficAfterAWhile(t *testing.T) {
	n, now := lonely(t), time.Now()
	n.serving.Store(&now)
	if err := n.ready(now.Add(announceLimit)); !errors.Is(err, errUnannounced) {
		t.Errorf("at the limit: got %v, want %v", err, errUnannounced)
	}
	if err := n.ready(now.Add(announceLimit + 1)); err != nil {
		t.Errorf("after the limit: got %v, want ready", err)
	}
}
