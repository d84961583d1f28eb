// Package rank puts the targets of a routing in the order in which a request tries them.
//
// Tags and capabilities filter, tiers of higher priority come first, and the routing's strategy orders within a
// tier. What a strategy looks at is in the View; its draws come from there too, so that the same view of the same
// board gives the same order.
//
// A Ranker is safe for concurrent use. It holds the round-robin wheels, which outlive any snapshot; a group and
// a View are only read. Order allocates nothing once its scratch space has grown to the size of the group, unless
// it is asked for a Trace.
package rank
