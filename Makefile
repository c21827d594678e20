# Assay: what can be done here. The topics are in hack/make/*.mk; `make help` lists every target with its "##" comment.

SHELL := /usr/bin/env bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules

# Everything that is downloaded or built once and kept between clones.
ASSAY_CACHE ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/assay
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)

GOLANGCI_LINT_VERSION := v2.15.0
GOLANGCI_LINT := $(ASSAY_CACHE)/bin/golangci-lint-$(GOLANGCI_LINT_VERSION)
CONTROLLER_GEN := go tool controller-gen

# Compiling is most of what a first build and a first test take. Without tables for debuggers, which stack traces do not need, and with rarer garbage
# collections in the compiler, k8s.io/api/core/v1 takes 6.8 s of processor time instead of 12.5, and `make demo` from empty caches 1,732 s instead of
# 1,991 (once each, with other work beside it, 2026-11-23). The same flags everywhere, so that everything is compiled once; without the clone's path, for all clones.
export GOFLAGS := $(strip $(filter-out -trimpath -gcflags=all=-dwarf=false,$(GOFLAGS)) -trimpath -gcflags=all=-dwarf=false)
FAST_GO := GOGC=400 GOMEMLIMIT=2GiB

##@ General

.PHONY: help
help: ## Show this list
	@awk 'BEGIN {FS = ":.*## "} \
	  /^##@ / {printf "\n%s\n", substr($$0, 5)} \
	  /^[a-zA-Z0-9_-]+:.*## / {printf "  %-20s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: setup
setup: ## Install the Debian packages that building and testing need (root; nothing to do where they are there)
	@hack/setup/times.sh
	@hack/setup/machine.sh
	@hack/setup/base.sh

.PHONY: clean
clean: ## Remove what was built in this folder (the caches in ~/.cache stay)
	rm -rf bin build

##@ Generated files

.PHONY: generate
generate: ## Generate the deep copies of the API types
	$(CONTROLLER_GEN) object paths=./api/...

.PHONY: manifests
manifests: ## Generate CRDs and RBAC from markers, the dashboard, and the chart's copies of what it shares with config/
	$(CONTROLLER_GEN) crd paths=./api/... output:crd:artifacts:config=config/crd/bases
	$(CONTROLLER_GEN) rbac:roleName=assay-manager paths=./controllers/... output:rbac:artifacts:config=config/rbac
	go run ./hack/dashboard >config/grafana/assay.json
	rm -rf charts/assay/files && mkdir -p charts/assay/files/{crds,admission,benchmarks,profiles}
	cp config/crd/bases/*.yaml charts/assay/files/crds/
	cp config/rbac/role.yaml config/rbac/metrics_roles.yaml config/rbac/user_roles.yaml config/prometheus/rules.yaml config/grafana/assay.json \
	  config/admission/gate/taint_new_nodes.yaml charts/assay/files/
	cp config/admission/[!k]*.yaml charts/assay/files/admission/
	cp config/catalogue/benchmarks/[!k]*.yaml charts/assay/files/benchmarks/
	cp config/catalogue/profiles/[!k]*.yaml charts/assay/files/profiles/

##@ Checks

.PHONY: lint
lint: $(GOLANGCI_LINT) ## Run golangci-lint, the rule which package may import which included
	$(GOLANGCI_LINT) run ./...

.PHONY: verify
verify: generate manifests lint docs ## Regenerate everything, run the read-only checks, build the site, and require a clean tree
	go vet ./...
	@unformatted="$$(git ls-files '*.go' | xargs gofmt -l)"; \
	  if [[ -n "$$unformatted" ]]; then echo "not formatted by gofmt:"; echo "$$unformatted"; exit 1; fi
	go mod tidy -diff
	@git diff --exit-code -- api config charts go.mod go.sum || \
	  { echo "generated files are out of date: run 'make generate manifests' and commit the result"; exit 1; }

# Tools that Go compiles, each with a module graph of its own, which keeps it out of go.mod: a rule names "tool",
# and "in" where the graph is that of one of our modules.
define compile_tool
	@mkdir -p $(@D)
	@GOBIN="$$(mktemp -d $@.partial-XXXXXX)" && export GOBIN && \
	  CGO_ENABLED=0 $(FAST_GO) hack/step.sh "$(@F)" "Compiling $(@F)" go $(in) install -ldflags="-s -w" $(tool) && \
	  mv "$$GOBIN"/* $@ && rmdir "$$GOBIN"
endef

$(GOLANGCI_LINT): tool = github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_LINT_VERSION)
$(GOLANGCI_LINT):
	$(compile_tool)

include hack/make/*.mk
