// Package core holds the words of the system: resources, the document that they form, Compile, and
// the immutable snapshot from which requests are served.
//
// Everything here is standard library only and does no I/O. Resources and documents are plain values;
// a Snapshot never changes after Compile returned it and may be read from any number of goroutines.
package core
