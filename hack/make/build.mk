##@ Build

GO_LDFLAGS := -s -w -X main.version=$(VERSION)

.PHONY: build
build: bin/manager bin/runner bin/kubectl-assay ## Build the operator, the runner and the kubectl plugin into bin/

# Go decides what is out of date, so each rule always runs.
.PHONY: bin/manager bin/runner bin/kubectl-assay
bin/manager bin/runner bin/kubectl-assay:
	@CGO_ENABLED=0 $(FAST_GO) hack/step.sh $(@F) "Compiling $@" hack/compile.sh -ldflags '$(GO_LDFLAGS)' -o $@ -- ./cmd/$(@F)
