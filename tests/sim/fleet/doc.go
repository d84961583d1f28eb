// Package fleet is the simulated nodes: each has the board, the cooldowns and the ranker that a node of the
// product has, and they share what they measure as package proxy/share does, over a store that is simulated.
package fleet
