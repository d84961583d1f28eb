package signal

import "time"

// Peer is what one node had published at one moment, as it was decoded. It never changes.
type Peer struct {
	// Rejected is how many entries broke the bounds of the format and were left out.
	Rejected int

	kind           kind
	reads          byte // the newest version that its writer reads
	boot, sequence uint64
	received       time.Time // by this node's own monotonic clock: no wall clock crosses the wire
	entries        []entry
}

// entry is one key of a peer; its record and its parts are aged to the moment of receipt.
type entry struct {
	key      Key
	inflight int
	cool     time.Time
	record   record
	parts    *parts // nil: none
	quota    *quota // nil: nothing is known
}
