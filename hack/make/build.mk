##@ Build

GO_LDFLAGS := -s -w -X main.version=$(VERSION)

.PHONY: build
build: bin/manager bin/runner bin/kubectl-assay ## Build the operator, the runner and the kubectl plugin into bin/

# Go decides what is out of date, so each rule always runs.
.PHONY: bin/manager bin/runner bin/kubectl-assay
bin/manager bin/runner bin/kubectl-assay:
	@CGO_ENABLED=0 hack/step.sh $(@F) "Compiling $@" go build -trimpath -ldflags '$(GO_LDFLAGS)' -o $@ ./cmd/$(@F)
