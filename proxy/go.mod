module github.com/sluice-gateway/sluice/proxy

go 1.26.0

require (
	github.com/sluice-gateway/sluice/core v0.0.0
	github.com/sluice-gateway/sluice/store v0.0.0
)

require (
	github.com/go-json-experiment/json v1.27.2 // indirect
	github.com/google/go-cmp v0.7.0 // indirect
	github.com/prometheus/client_golang v1.25.0 // indirect
	golang.org/x/crypto/x509roots/fallback v0.0.0-20261030153154-30a33513ff6d // indirect
	golang.org/x/sync v0.25.0 // indirect
)

replace github.com/sluice-gateway/sluice/core => ../core

replace github.com/sluice-gateway/sluice/store => ../store
