// Package arch holds no code of its own: its tests are the rules of the house that a compiler does not
// check, such as who may import whom.
package arch
