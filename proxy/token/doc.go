// Package token reads JSON texts in one pass, in place and without garbage: the body of every request and
// every event of every stream goes through it. It is jsontext with the settings of a gateway: repeated
// names and strings that are not Unicode are JSON here, and for others to refuse.
//
// A Reader belongs to one goroutine from Open to Close, and refers to its text for no longer.
package token
