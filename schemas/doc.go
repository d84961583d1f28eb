// Package schemas holds the JSON Schemas of the resources (resources/*.schema.json, draft 2020-12) and
// checks JSON text against them. A schema states every rule that needs no other resource; in it, "x-fault"
// gives the rule's name and the words for a person where the keyword itself cannot, and "x-sensitive" marks
// a field whose value no message may show although, unlike a "writeOnly" one, it may be read back.
//
// A Set never changes after Load and may be used from any number of goroutines.
package schemas
