module github.com/sluice-gateway/sluice/store

go 1.26.0

require github.com/sluice-gateway/sluice/core v0.0.0

replace github.com/sluice-gateway/sluice/core => ../core
