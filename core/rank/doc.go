// Package rank puts the targets of a routing in the order in which a request tries them.
//
// A Ranker is safe for concurrent use. It holds the round-robin wheels, which outlive any snapshot; a group and
// a View are only read. Order allocates nothing once its scratch space has grown to the size of the group.
package rank
