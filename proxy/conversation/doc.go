// Package conversation is a chat request and its answer in no vendor's words. A translation between two dialects goes
// through it: one's decoder makes it, the other's encoder says it.
//
// It holds what at least two of the dialects can say. What one dialect alone knows is dropped or refused by its own
// decoder, by the rules of docs/translation.md; what the other cannot express, by that one's encoder. Nothing is
// garbled: a request is refused with an *Error that names the field, or the field is among those that were dropped.
//
// Values are plain data and not safe for concurrent use.
package conversation
