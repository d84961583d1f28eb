// Package cooldown decides when a failing target is set aside, for how long, and when one request may
// find out whether it has recovered.
//
// A Table is safe for concurrent use, does no I/O and has no clock of its own: now always comes in.
package cooldown
