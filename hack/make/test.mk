##@ Tests

# The integration tests start etcd and kube-apiserver from the local cluster's programs, and wait more than they compute: the server
# answers a list after a write only with etcd's next report of progress, up to a tenth of a second later. Hence more tests at once
# than there are cores, and rarer garbage collections, in the server too, which grows to 2.3 GB.
KUBEBUILDER_ASSETS ?= $(CURDIR)/bin/localcluster
export KUBEBUILDER_ASSETS

# The test programs are linked without tables for debuggers (-w), which takes less time; stack traces stay as they are.
GO_TEST_FLAGS ?=

space := $(subst ,, )

# Every wait within a test has its own end. This one is for tests that hang all the same, on slow machines too.
GO_TEST := $(FAST_GO) go test -timeout 80m
# Tests that are built as the operator and clusterctl are: what both use is compiled once.
GO_TEST_STATIC := CGO_ENABLED=0 $(GO_TEST)

# The real Karpenter with its provider of simulated nodes, and the kinds that it asks for: the end-to-end tests let it make nodes.
KARPENTER_VERSION := v1.14.0
KARPENTER := $(ASSAY_CACHE)/karpenter-$(KARPENTER_VERSION)

$(KARPENTER): # a module graph of its own keeps it out of go.mod
	@mkdir -p $(@D) && rm -rf $@.partial && mkdir $@.partial
	@CGO_ENABLED=0 $(FAST_GO) GOBIN=$@.partial hack/step.sh karpenter "Compiling Karpenter $(KARPENTER_VERSION) for the end-to-end tests" \
	  go install -ldflags="-s -w" sigs.k8s.io/karpenter/kwok@$(KARPENTER_VERSION)
	@module="$$(go list -m -f '{{.Dir}}' sigs.k8s.io/karpenter@$(KARPENTER_VERSION))" && mkdir $@.partial/crds && \
	  cp "$$module"/pkg/apis/crds/*.yaml "$$module"/kwok/apis/crds/*.yaml $@.partial/crds && \
	  mv $@.partial/kwok $@.partial/karpenter && mv $@.partial $@

# The real Prometheus: promtool tests the rules, and the end-to-end tests let it scrape the operator.
PROMETHEUS := $(ASSAY_CACHE)/prometheus

.PHONY: prometheus
prometheus:
	@hack/step.sh prometheus "Fetching Prometheus" hack/setup/prometheus.sh $(PROMETHEUS)

# What computes runs beside what waits: the unit tests beside those of the programs, of which some are processes that wait for each other;
# the integration tests and Helm, on a cluster of its own, beside the end-to-end tests, which wait for kubelets.
.PHONY: test
test: export KERNELS_WERROR := ON
test: setup ## Run every test: unit, programs, real API server, real cluster
	@$(MAKE) --no-print-directory -j2 --output-sync=target kernels-test test-go
	@$(MAKE) --no-print-directory test-e2e E2E_BESIDE='$(MAKE) --no-print-directory -j2 --output-sync=target test-integration test-helm'

# So that tests do not begin with hundreds of lines about modules that are downloaded.
.PHONY: modules
modules:
	@hack/step.sh modules "Fetching the Go modules" go list -deps -test -tags e2e ./...
	@GOWORK=off hack/step.sh modules-localcluster "Fetching the local cluster's Go modules" \
	  go list -C hack/localcluster -deps -test ./internal/... ./cmd/clusterctl ./cmd/dra-driver

# The race detector makes tests seven times as slow, and can find nothing in the pure packages, which .golangci.yml names and keeps
# from doing two things at once. Under it a program sleeps for a second before it ends; the runner's tests start dozens. What is tried
# exhaustively or measured elsewhere is in files with "go:build !race", and runs without it, each test once.
PURE := $(shell awk '$$1 == "pure:" {pure = 1} $$1 == "deny:" {pure = 0} pure && match($$2, /internal.*[*][*]/) {print substr($$2, RSTART + 9, RLENGTH - 12)}' .golangci.yml)
without_race := /internal/($(subst $(space),|,$(PURE)))(/|$$)|/hack/bench/|/test/campaign
not_raced := $(shell grep -rl --include='*_test.go' '^//go:build !race$$' api cmd controllers hack internal)

.PHONY: test-unit
test-unit: modules ## Run the Go tests that need nothing but Go (and gcc, for the race detector)
	@failed=0; \
	  $(GO_TEST_STATIC) -ldflags=-w $(GO_TEST_FLAGS) $$(go list ./... | grep -E '$(without_race)') || failed=1; \
	  $(GO_TEST_STATIC) -ldflags=-w $(GO_TEST_FLAGS) -run "^($$(sed -n 's/^func \(Test[A-Za-z0-9]*\)(.*/\1/p' $(not_raced) | paste -sd '|'))$$" $(addprefix ./,$(sort $(dir $(not_raced)))) || failed=1; \
	  GORACE=atexit_sleep_ms=10 $(GO_TEST) -race -ldflags=-w $(GO_TEST_FLAGS) $$(go list ./... | grep -Ev '/test/|$(without_race)') || failed=1; \
	  exit $$failed

.PHONY: campaign
campaign: modules ## Play clusters in which nearly everything goes wrong, and check every promise at every write (CASES=5000 SEED=1)
	@mkdir -p build && $(GO_TEST_STATIC) -ldflags=-w -c -o build/campaign.test ./test/campaign
	@printf '0\n1\n' | xargs -P 2 -I{} sh -c 'GOGC=400 build/campaign.test -test.run TestCampaign -test.v -test.timeout 3h \
	  -cases $$(($(or $(CASES),5000) / 2)) -seed $$(($(or $(SEED),1) + {} * $(or $(CASES),5000) / 2))'

.PHONY: campaign-defects
campaign-defects: modules ## Put defects into the code, one at a time, and say which case of the campaign finds each (CASES=300 SEED=1 ONLY=name,name)
	@CGO_ENABLED=0 GOGC=400 go run ./test/campaign/defects -cases $(or $(CASES),300) -seed $(or $(SEED),1) -only '$(ONLY)'

.PHONY: test-go
test-go: modules
	@nice -n 10 $(MAKE) --no-print-directory test-localcluster test-unit test-page

.PHONY: test-page
test-page: modules ## Look at the HTML report in a real browser
	@hack/setup/chromium.sh
	$(GO_TEST_STATIC) -ldflags=-w $(GO_TEST_FLAGS) ./test/page/...

.PHONY: pictures
pictures: ## Take the pictures in docs/pictures anew
	@hack/setup/chromium.sh
	ASSAY_PICTURES=$(CURDIR)/docs/pictures $(GO_TEST_STATIC) -count=1 -run TestPictures ./test/page

.PHONY: test-integration
test-integration: cluster-binaries prometheus $(HELM) $(KUBECTL) ## Run the tests against a real API server
	ASSAY_HELM=$(HELM) ASSAY_KUBECTL=$(KUBECTL) ASSAY_PROMETHEUS=$(PROMETHEUS) $(GO_TEST_STATIC) -parallel 16 -ldflags=-w $(GO_TEST_FLAGS) ./test/integration/controllers ./test/integration/...

.PHONY: test-localcluster
test-localcluster: modules ## Run the unit tests of the local cluster's own module
	cd hack/localcluster && GOWORK=off $(GO_TEST_STATIC) $(GO_TEST_FLAGS) ./internal/... ./cmd/clusterctl ./cmd/dra-driver

# The tests' own cluster; KEEP=1 leaves it for a look around, RUN=regexp chooses tests.
E2E_CLUSTER ?= e2e
E2E_BESIDE :=

.PHONY: test-e2e
test-e2e: cluster-packages ## Run the tests with real pods on a cluster of their own (KEEP=1 leaves it, RUN=regexp)
	@$(MAKE) --no-print-directory -j2 cluster-needs cluster-kwok cluster-dra prometheus $(KARPENTER) $(if $(E2E_BESIDE),$(HELM) $(CRANE))
	@E2E_CLUSTER=$(E2E_CLUSTER) ASSAY_KARPENTER=$(KARPENTER) ASSAY_PROMETHEUS=$(PROMETHEUS) KEEP=$(KEEP) RUN='$(RUN)' GO_TEST_FLAGS='$(GO_TEST_FLAGS)' test/e2e/run.sh $(E2E_BESIDE)

MINUTES ?= 30

.PHONY: campaign-live
campaign-live: cluster-packages ## Break a real cluster at random under runs and policies, and check the promises (MINUTES=30 SEED=1)
	@$(MAKE) --no-print-directory cluster-needs
	@E2E_CLUSTER=live KEEP=$(KEEP) RUN='^TestLive$$' GO_TEST_FLAGS='-v -live=$(MINUTES)m -live-seed=$(or $(SEED),1)' test/e2e/run.sh

# Another version of Kubernetes, built from its own modules: see docs/install.md#kubernetes. Not part of `make test`: the first build
# takes as long as that of the usual one.
KUBERNETES ?=
KUBERNETES_BIN := build/kubernetes-$(KUBERNETES)

.PHONY: test-kubernetes
test-kubernetes: cluster-packages ## Run the integration tests and one end-to-end story on another Kubernetes (KUBERNETES=1.35.4)
	$(if $(KUBERNETES),,$(error set KUBERNETES to a version, such as 1.35.4))
	@$(MAKE) --no-print-directory -j2 cluster-needs
	@hack/step.sh kubernetes-$(KUBERNETES) "Compiling Kubernetes $(KUBERNETES)" $(CLUSTERCTL) build --kubernetes $(KUBERNETES) --link $(KUBERNETES_BIN)
	$(KUBERNETES_BIN)/localcluster/kube-apiserver --version | grep -Fx 'Kubernetes v$(KUBERNETES)'
	@E2E_CLUSTER=kube KEEP=$(KEEP) RUN='^TestEndToEnd$$/^measured$$' GO_TEST_FLAGS='$(GO_TEST_FLAGS)' KUBERNETES=$(KUBERNETES) test/e2e/run.sh
	@$(MAKE) --no-print-directory test-integration KUBEBUILDER_ASSETS=$(CURDIR)/$(KUBERNETES_BIN)/localcluster GO_TEST_FLAGS='-count=1 $(GO_TEST_FLAGS)'

.PHONY: test-helm
test-helm: cluster-packages ## Install as README says, and upgrade in mid-run, roll back and uninstall by Helm, on a real cluster of its own (KEEP=1 leaves it)
	@$(MAKE) --no-print-directory -j2 cluster-needs $(HELM) $(CRANE)
	@UPGRADE_CLUSTER=helm $(INSTALL_ENV) KEEP=$(KEEP) test/upgrade/run.sh

# The release before this one. None is tagged yet, so this is the last commit that kept the history
# of a node in its NodeValidation. Not part of
# `make test`: it compiles the other release's operator first.
UPGRADE_FROM ?= 45396a226217cd876ba11fee2222b2daa77b764a

.PHONY: test-upgrade
test-upgrade: cluster-packages ## The same from the previous release to this one and back (UPGRADE_FROM=commit)
	@$(MAKE) --no-print-directory -j2 cluster-needs $(HELM) $(CRANE)
	@UPGRADE_CLUSTER=upgrade $(INSTALL_ENV) KEEP=$(KEEP) test/upgrade/run.sh $(UPGRADE_FROM)
