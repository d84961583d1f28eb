// Package schemafields holds the tests that the JSON Schemas and the Go types of the resources say the same:
// fields, defaults, and what passes the one decodes into the other. It has no code of its own.
package schemafields
