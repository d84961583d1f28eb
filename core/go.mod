module github.com/sluice-gateway/sluice/core

go 1.26.0
