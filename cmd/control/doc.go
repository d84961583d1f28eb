// Package control asks a Sluice admin service what an operator's tools need to know.
//
// A Client is safe for concurrent use. It changes nothing.
package control
