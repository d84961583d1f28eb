// Command openapi-gen makes openapi.json: it reads the annotations of the admin API's handlers with swag,
// lifts the Swagger 2.0 that comes of them to OpenAPI 3.1 and puts the JSON Schemas of the resources in.
//
//	go run ./cmd/openapi-gen          # in the folder openapi: write openapi.json
//	go run ./cmd/openapi-gen -check   # fail when openapi.json is not what would be written
//
// It runs in one goroutine. Its dependencies are no part of the package openapi.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
)

type settings struct {
	handlers string // folder of the annotated handlers
	schemas  string // folder of the JSON Schemas
	out      string
	check    bool
}

func main() {
	var s settings
	flag.StringVar(&s.handlers, "handlers", "../admin/httpapi", "folder of the annotated handlers")
	flag.StringVar(&s.schemas, "schemas", "../schemas/resources", "folder of the JSON Schemas")
	flag.StringVar(&s.out, "out", "openapi.json", "file to write")
	flag.BoolVar(&s.check, "check", false, "write nothing; fail when the file would change")
	flag.Parse()
	if err := run(s); err != nil {
		fmt.Fprintln(os.Stderr, "openapi-gen:", err)
		os.Exit(1)
	}
}

func run(s settings) error {
	text, err := generate(s)
	if err != nil {
		return err
	}
	if !s.check {
		return os.WriteFile(s.out, text, 0o644)
	}
	old, err := os.ReadFile(s.out)
	if err != nil {
		return err
	}
	if !bytes.Equal(old, text) {
		return errors.New(s.out + " is out of date: run make generate")
	}
	return nil
}

func generate(s settings) ([]byte, error) {
	resources, err := readResources(s.schemas)
	if err != nil {
		return nil, err
	}
	swagger, err := annotations(s.handlers)
	if err != nil {
		return nil, fmt.Errorf("read annotations: %w", err)
	}
	doc, err := lift(swagger)
	if err != nil {
		return nil, fmt.Errorf("lift to OpenAPI 3.1: %w", err)
	}
	text, err := assemble(doc, resources)
	if err != nil {
		return nil, fmt.Errorf("assemble: %w", err)
	}
	return text, nil
}
