package core

import "time"

// NodeStatus is what a proxy node says of itself under its lease and on its status listener.
type NodeStatus struct {
	ID      string `json:"id"`
	Version string `json:"version"`
	Cell    string `json:"cell"`
	Host    string `json:"host,omitempty"`
	// Address is where the control plane reaches the node's status listener, host:port.
	Address   string    `json:"address,omitempty"`
	StartedAt time.Time `json:"started_at"`
	// Revision is the store revision up to which the node has seen every change and serves it.
	Revision int64 `json:"revision"`
	// Rejected lists the faults of resources that the node does not serve as they are stored.
	Rejected []Fault `json:"rejected,omitempty"`
	// Keys are the ids of the keys with which the node opens secrets: before another key seals, all nodes have it.
	Keys []uint32 `json:"keys,omitempty"`
	// Draining is true once the node has begun to shut down.
	Draining bool `json:"draining,omitempty"`
}
