// Package caller is a crowd of clients that ask all the time, check every byte of what they get, and
// sometimes leave in the middle.
//
// A Caller is one client and is used by one goroutine.
package caller
