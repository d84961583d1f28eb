package proxy

import (
	"errors"
	"time"
)

var (
	errDraining    = errors.New("draining")
	errUnannounced = errors.New("not known to the fleet yet")
)

// ready returns nil when traffic should come here: there is a snapshot, and whoever waits for all nodes to
// serve a write waits for this one as well. Should the node not get to say that it is there, traffic comes
// all the same after a while.
func (n *Node) ready(now time.Time) error {
	since := n.serving.Load()
	switch {
	case n.draining.Load():
		return errDraining
	case since == nil:
		return n.unconfigured()
	case now.Sub(*since) > announceLimit:
		return nil
	}
	select {
	case <-n.sharer.Announced():
		return nil
	default:
		return errUnannounced
	}
}

func (n *Node) unconfigured() error {
	if why := n.storeTrouble(); why != "" {
		return errors.New("no configuration yet: " + why)
	}
	return errors.New("no configuration yet")
}

// storeTrouble says why the store is not reached; empty: it is.
func (n *Node) storeTrouble() string {
	if why := n.health.Load(); why != nil {
		return *why
	}
	return ""
}
