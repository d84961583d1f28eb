# Sluice. `make` lists the targets.

SHELL       := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

MODULES  := core schemas openapi store admin proxy cmd tests
# In no workspace: it only pins the etcd that the images hold.
PINNED   := deploy/etcd
PACKAGES := $(MODULES:%=./%/...)

GOLANGCI := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
VERSION  := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
STATIC   := CGO_ENABLED=0 go build -trimpath
STAMPED  := -ldflags='-s -w -X main.buildVersion=$(VERSION)'
COMPOSE  := $(shell docker compose version >/dev/null 2>&1 && echo docker compose || echo docker-compose)

# Images built here; docker-compose.yml takes the same names from the environment.
export SLUICE_PROXY_IMAGE ?= sluice-proxy:dev
export SLUICE_ADMIN_IMAGE ?= sluice-admin:dev
export SLUICE_DEMO_IMAGE  ?= sluice-demo:dev
export SLUICE_ETCD_IMAGE  ?= sluice-etcd:dev

# testcontainers-go: no image can be counted on, its reaper's neither, and published ports are on loopback.
export TESTCONTAINERS_RYUK_DISABLED := true
export TESTCONTAINERS_HOST_OVERRIDE ?= localhost

.PHONY: help
help: ## List the targets.
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: dev
dev: ## Run everything in one process, with an embedded etcd and demo upstreams.
	go run ./cmd/sluice dev

.PHONY: build
build: ## Build static binaries into dist/.
	@mkdir -p dist
	$(STATIC) $(STAMPED) -o dist/sluice ./cmd/sluice
	$(STATIC) $(STAMPED) -o dist/sluice-admin ./admin/cmd/sluice-admin
	$(STATIC) $(STAMPED) -o dist/sluice-proxy ./proxy/cmd/sluice-proxy

.PHONY: test
test: ## Run every test that needs nothing but Go, with the race detector.
	@# What the pages say to paste runs below.
	go test -race -timeout 10m -skip '^TestWhatThePagesSayToPasteWorks$$' $(PACKAGES)
	@# Simulations and translations are one goroutine each: the long ones leave the race detector out.
	go test ./tests/sim/... ./proxy/conversation
	@# Their inputs are outside of their modules, where the test cache does not watch.
	go test -count=1 ./tests/arch ./tests/lessons ./proxy/metrics
	go test -race -count=1 ./tests/docs

.PHONY: e2e
e2e: images ## Run the scenarios and the store contract against containers (needs Docker, Compose and Chromium).
	cd tests && go test -tags e2e -count=1 -timeout 15m -v -skip TestInProcess ./contract ./scenario ./pages

.PHONY: bench
bench: ## Measure Sluice against a plain reverse proxy and print the ratios.
	go run ./tests/bench

.PHONY: sim
sim: ## Put simulated fleets through every scenario of SIGNALS.md and hold them against other policies; plots in dist/sim.
	go run ./tests/sim -out dist/sim

.PHONY: soak
soak: ## Run two nodes for 10 minutes (FOR=time) at full load while everything fails at random, and check every answer.
	go run ./tests/soak -for $(or $(FOR),10m)

.PHONY: crowd
crowd: images ## Let 100 and 1,000 nodes (NODES=n) share signals over three etcd members in containers, and judge cost and agreement.
	go run ./tests/crowd -nodes $(or $(NODES),0)

.PHONY: fmt
fmt: ## Format the code.
	gofmt -w $(MODULES)

.PHONY: generate
generate: ## Rebuild generated files.
	go generate $(PACKAGES)

.PHONY: lint
lint: ## Check formatting, go vet, and golangci-lint where it is installed.
	@unformatted=$$(gofmt -l $(MODULES)); if [ -n "$$unformatted" ]; then echo "not formatted (make fmt):"; echo "$$unformatted"; exit 1; fi
	go vet -tags e2e $(PACKAGES)
	@if command -v golangci-lint >/dev/null; then golangci-lint run $(PACKAGES); \
	else echo "golangci-lint is not installed: skipped ('make lint-full' builds and runs it)"; fi

.PHONY: lint-full
lint-full: ## Build the pinned golangci-lint and run it (minutes, the first time).
	go run $(GOLANGCI) run $(PACKAGES)

.PHONY: verify
verify: lint ## Check that generated files and module files are up to date and that each module builds alone.
	@.ci/verify $(MODULES) -- $(PINNED)

.PHONY: images
images: build ## Build the container images from the binaries in dist/.
	@mkdir -p dist/empty
	cd $(PINNED) && GOWORK=off $(STATIC) -ldflags='-s -w' -o ../../dist/etcd go.etcd.io/etcd/server/v3
	cd $(PINNED) && GOWORK=off $(STATIC) -ldflags='-s -w' -o ../../dist/etcdctl go.etcd.io/etcd/etcdctl/v3
	docker build -q --target proxy -t $(SLUICE_PROXY_IMAGE) .
	docker build -q --target admin -t $(SLUICE_ADMIN_IMAGE) .
	docker build -q --target demo -t $(SLUICE_DEMO_IMAGE) .
	docker build -q --target etcd -t $(SLUICE_ETCD_IMAGE) .

.PHONY: up
up: images ## Start the compose stack (PROXIES=n proxies, 1 if not given). Needs SLUICE_ADMIN_TOKEN.
	$(COMPOSE) up -d --scale proxy=$(or $(PROXIES),1)
	@$(COMPOSE) ps

.PHONY: down
down: ## Stop the compose stack; its data stay in the etcd volume.
	SLUICE_ADMIN_TOKEN=$${SLUICE_ADMIN_TOKEN:-unused} $(COMPOSE) down --remove-orphans

.PHONY: clean
clean: ## Remove what was built.
	rm -rf dist
