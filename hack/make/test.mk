##@ Tests

# The integration tests start etcd and kube-apiserver from the local cluster's programs.
KUBEBUILDER_ASSETS ?= $(CURDIR)/bin/localcluster
export KUBEBUILDER_ASSETS

GO_TEST_FLAGS ?=

.PHONY: test
test: setup kernels-test test-localcluster test-unit test-integration test-e2e ## Run every test: unit, programs, real API server, real cluster

.PHONY: test-unit
test-unit: ## Run the Go tests that need nothing but Go
	go test $(GO_TEST_FLAGS) $$(go list ./... | grep -v '/test/')

.PHONY: test-integration
test-integration: cluster-binaries ## Run the tests against a real API server
	go test $(GO_TEST_FLAGS) ./test/integration/...

.PHONY: test-localcluster
test-localcluster: ## Run the unit tests of the local cluster's own module
	cd hack/localcluster && go test $(GO_TEST_FLAGS) ./internal/...
