// Package messages is Anthropic's messages dialect as a codec of conversations. docs/translation.md has its rules.
//
// A Codec is safe for concurrent use; a decoder or an encoder of a stream belongs to one goroutine.
package messages
