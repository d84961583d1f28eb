// Package show prints the state of a fleet for people.
//
// Its functions keep nothing and may be called at any time.
package show
