// Package sse reads and writes server-sent events (WHATWG HTML, section 9.2) as LLM servers send them.
//
// A Reader belongs to one goroutine, which closes it; the functions that append are pure.
package sse
