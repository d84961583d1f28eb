// Package keyring seals small secrets with AES-256-GCM under a keyset in a file, and follows that file.
//
// The file is a Tink keyset in JSON, so that other tools can make and read it. It has one primary key, which seals;
// all keys open. Each sealed value names its key, and is bound to its place: anywhere else it does not open.
//
// A Keyset never changes. A Keyring holds the latest that its file had and may be used from any number of goroutines.
package keyring
