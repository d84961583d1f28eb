// Package endpoint is the table of what callers may ask for: in whose words, what its body and its answers look like,
// which kinds of upstream can answer and what an answer teaches.
//
// An upstream answers in the dialect in which it was asked. To translate, for a kind of upstream that is not among an
// endpoint's Kinds, is to join that kind to them and to stand between the two: where dispatch builds the body of an
// attempt, and where it takes an event or a whole answer.
//
// An Endpoint never changes and may be read from any number of goroutines.
package endpoint
