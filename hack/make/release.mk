##@ Release

# Tools of releases and of the tests of the chart.
HELM_VERSION := v4.3.1
HELM := $(ASSAY_CACHE)/bin/helm-$(HELM_VERSION)
# Renders kustomizations. Compiled from the local cluster's modules, which its own kubectl has compiled already.
KUBECTL := $(ASSAY_CACHE)/bin/kubectl-$(shell awk '$$1 == "k8s.io/kubernetes" { print $$2 }' hack/localcluster/go.mod)
COSIGN_VERSION := v3.1.3
COSIGN := $(ASSAY_CACHE)/bin/cosign-$(COSIGN_VERSION)

$(HELM): tool = helm.sh/helm/v4/cmd/helm@$(HELM_VERSION)
$(COSIGN): tool = github.com/sigstore/cosign/v3/cmd/cosign@$(COSIGN_VERSION)
$(HELM) $(COSIGN):
	$(compile_tool)
$(KUBECTL): in = -C hack/localcluster
$(KUBECTL): tool = k8s.io/kubernetes/cmd/kubectl
$(KUBECTL):
	$(compile_tool)

RELEASE := build/release
RELEASE_ENV = ASSAY_HELM=$(HELM) ASSAY_KUBECTL=$(KUBECTL) ASSAY_COSIGN=$(COSIGN)

.PHONY: release-needs
release-needs: $(HELM) $(KUBECTL) $(if $(COSIGN_KEY),$(COSIGN))
	@hack/setup/packages.sh buildah debootstrap ca-certificates qemu-user-static

.PHONY: release
release: release-needs ## Build everything that a release has into build/release (VERSION=v0.1.0, COSIGN_KEY=file, RELEASE_REGISTRY, RELEASE_IMAGES, RELEASE_PLATFORMS)
	@$(RELEASE_ENV) hack/release/build.sh "$(VERSION)" $(RELEASE)

.PHONY: release-again
release-again: release-needs ## Build the release once more from a fresh clone of this commit and compare it with build/release
	@$(RELEASE_ENV) hack/release/again.sh "$(VERSION)" $(RELEASE)
