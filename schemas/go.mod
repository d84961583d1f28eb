module github.com/sluice-gateway/sluice/schemas

go 1.26.0
