package main

import (
	"encoding/json"
	"io"
	"log"

	"github.com/swaggo/swag"
)

const (
	modelsOnly = 1   // of other modules, read types and no routes
	depth      = 100 // of imports; swag's own default
)

// annotations returns the Swagger 2.0 document of the handlers in dir, whose doc.go describes the whole API.
func annotations(dir string) ([]byte, error) {
	p := swag.New(
		swag.SetParseDependency(modelsOnly),
		swag.ParseUsingGoList(true),
		swag.SetStrict(true),
		swag.SetDebugger(log.New(io.Discard, "", 0)),
	)
	p.RequiredByDefault = true
	if err := p.ParseAPI(dir, "doc.go", depth); err != nil {
		return nil, err
	}
	return json.Marshal(p.GetSwagger())
}
