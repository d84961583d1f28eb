module github.com/sluice-gateway/sluice/openapi

go 1.26.0
