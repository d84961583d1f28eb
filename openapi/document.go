// Package openapi holds the OpenAPI 3.1 document of the admin API and the page that shows it. The document
// is made by cmd/openapi-gen from the annotations of the admin API's handlers and from the JSON Schemas of the
// resources, which stand in it verbatim; never change openapi.json by hand.
//
// Everything here is embedded in the binary, needs no network and may be used from any number of goroutines.
package openapi

import (
	_ "embed"
	"slices"
)

//go:generate go run ./cmd/openapi-gen

//go:embed openapi.json
var document []byte

// Document returns the OpenAPI 3.1 document as JSON. The caller may keep and change it.
func Document() []byte { return slices.Clone(document) }
