module github.com/sluice-gateway/sluice/proxy

go 1.26.0

require (
	github.com/sluice-gateway/sluice/core v0.0.0
	github.com/sluice-gateway/sluice/store v0.0.0
)

replace github.com/sluice-gateway/sluice/core => ../core

replace github.com/sluice-gateway/sluice/store => ../store
