module github.com/sluice-gateway/sluice/admin

go 1.26.0

require (
	github.com/sluice-gateway/sluice/core v0.0.0
	github.com/sluice-gateway/sluice/openapi v0.0.0
	github.com/sluice-gateway/sluice/schemas v0.0.0
	github.com/sluice-gateway/sluice/store v0.0.0
)

replace github.com/sluice-gateway/sluice/core => ../core

replace github.com/sluice-gateway/sluice/schemas => ../schemas

replace github.com/sluice-gateway/sluice/store => ../store

replace github.com/sluice-gateway/sluice/openapi => ../openapi
