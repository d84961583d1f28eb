// Package rotation replaces the key that seals the secrets of a gateway while it runs. Every live node has the next key
// before it is used, so that no node is ever shown a secret that it cannot open.
//
// Its functions keep nothing between two calls; two rotations of one keyset file must not run at once.
package rotation
