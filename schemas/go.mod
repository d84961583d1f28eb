module github.com/sluice-gateway/sluice/schemas

go 1.26.0

require (
	github.com/go-json-experiment/json v1.27.2
	github.com/santhosh-tekuri/jsonschema/v5 v5.3.1
)

require github.com/google/go-cmp v0.7.0
