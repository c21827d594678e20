##@ Release

# Tools of releases and of the tests of the chart.
HELM_VERSION := v4.3.1
HELM := $(ASSAY_CACHE)/bin/helm-$(HELM_VERSION)
KUSTOMIZE_VERSION := v5.8.1
KUSTOMIZE := $(ASSAY_CACHE)/bin/kustomize-$(KUSTOMIZE_VERSION)
COSIGN_VERSION := v3.1.3
COSIGN := $(ASSAY_CACHE)/bin/cosign-$(COSIGN_VERSION)

$(HELM): tool = helm.sh/helm/v4/cmd/helm@$(HELM_VERSION)
$(KUSTOMIZE): tool = sigs.k8s.io/kustomize/kustomize/v5@$(KUSTOMIZE_VERSION)
$(COSIGN): tool = github.com/sigstore/cosign/v3/cmd/cosign@$(COSIGN_VERSION)
$(HELM) $(KUSTOMIZE) $(COSIGN):
	$(compile_tool)

RELEASE := build/release
RELEASE_ENV = ASSAY_HELM=$(HELM) ASSAY_KUSTOMIZE=$(KUSTOMIZE) ASSAY_COSIGN=$(COSIGN)

.PHONY: release-needs
release-needs: $(HELM) $(KUSTOMIZE) $(if $(COSIGN_KEY),$(COSIGN))
	@hack/setup/packages.sh buildah debootstrap ca-certificates qemu-user-static

.PHONY: release
release: release-needs ## Build everything that a release has into build/release (VERSION=v0.1.0, COSIGN_KEY=file, RELEASE_REGISTRY, RELEASE_IMAGES, RELEASE_PLATFORMS)
	@$(RELEASE_ENV) hack/release/build.sh "$(VERSION)" $(RELEASE)

.PHONY: release-again
release-again: release-needs ## Build the release once more from a fresh clone of this commit and compare it with build/release
	@$(RELEASE_ENV) hack/release/again.sh "$(VERSION)" $(RELEASE)
