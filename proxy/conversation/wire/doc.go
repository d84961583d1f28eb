// Package wire reads and writes the JSON of the dialects: a Reader walks through a text once and knows the path of
// where it is, so that an error names the member; a Writer appends.
//
// A Reader belongs to one goroutine from Open to Close; a Writer to one goroutine.
package wire
