package metrics

import "github.com/prometheus/client_golang/prometheus"

// nodeFamilies tell what the node serves.
type nodeFamilies struct {
	revision, rejected, connected family
}

func newNodeFamilies(add declare) nodeFamilies {
	const gauge = prometheus.GaugeValue
	return nodeFamilies{
		revision:  add(gauge, "snapshot_revision", "Store revision up to which every change is served."),
		rejected:  add(gauge, "rejected_faults", "Faults of resources that are not served as stored."),
		connected: add(gauge, "store_connected", "1 while the store is reached."),
	}
}

func (f *nodeFamilies) collect(send emit, r *Reading) {
	send(f.revision, float64(r.Revision))
	send(f.rejected, float64(r.Rejected))
	send(f.connected, one(r.Connected))
}

func one(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}
