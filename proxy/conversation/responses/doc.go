// Package responses is OpenAI's responses dialect as a codec of conversations. docs/translation.md has its rules. It
// keeps no state between requests: what needs an earlier response to be stored is refused.
//
// A Codec is safe for concurrent use; a decoder or an encoder of a stream belongs to one goroutine.
package responses
