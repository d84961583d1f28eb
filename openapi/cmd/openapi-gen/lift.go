package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/getkin/kin-openapi/openapi2"
	"github.com/getkin/kin-openapi/openapi2conv"
	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3conv"
)

const (
	version = "3.1.0"

	typeJSON    = "application/json"
	typeProblem = "application/problem+json"
)

// lift turns a Swagger 2.0 document into OpenAPI 3.1.
func lift(swagger []byte) (*openapi3.T, error) {
	var two openapi2.T
	if err := json.Unmarshal(swagger, &two); err != nil {
		return nil, err
	}
	doc, err := openapi2conv.ToV3(&two)
	if err != nil {
		return nil, err
	}
	if err := doc.Validate(context.Background()); err != nil {
		return nil, fmt.Errorf("the annotations make no valid document: %w", err)
	}
	openapi3conv.Upgrade(doc)
	doc.OpenAPI = version
	if c := doc.Info.Contact; c != nil && c.Name+c.URL+c.Email == "" {
		doc.Info.Contact = nil
	}
	bearer(doc)
	problems(doc)
	return doc, nil
}

// bearer says of an API key in Authorization what Swagger 2.0 cannot: that it is a bearer token.
func bearer(doc *openapi3.T) {
	for _, ref := range doc.Components.SecuritySchemes {
		if s := ref.Value; s.Type == "apiKey" && s.In == "header" && s.Name == "Authorization" {
			s.Type, s.Scheme, s.In, s.Name = "http", "bearer", "", ""
		}
	}
}

// problems gives answers that are problems (RFC 9457) their own media type: Swagger 2.0 has one for all
// answers of an operation.
func problems(doc *openapi3.T) {
	for _, item := range doc.Paths.Map() {
		for _, operation := range item.Operations() {
			for _, response := range operation.Responses.Map() {
				for name, media := range response.Value.Content {
					if media.Schema != nil && media.Schema.Ref == schemaPrefix+"Problem" {
						delete(response.Value.Content, name)
						response.Value.Content[typeProblem] = media
					}
				}
			}
		}
	}
}
