##@ Install on a cluster that you have

CRANE_VERSION := v0.22.1
CRANE := $(ASSAY_CACHE)/bin/crane-$(CRANE_VERSION)
$(CRANE): tool = github.com/google/go-containerregistry/cmd/crane@$(CRANE_VERSION)
$(CRANE):
	$(compile_tool)

INSTALL_ENV = ASSAY_HELM=$(HELM) ASSAY_CRANE=$(CRANE)

.PHONY: install
install: ## Build the images, give them to the nodes of kubectl's context, and install by Helm (IMAGES=kind|k3s|registry.example.com/team PROGRAMS="cpu cuda" VALUES=file)
	@$(INSTALL_ENV) IMAGES='$(IMAGES)' PROGRAMS='$(PROGRAMS)' VALUES='$(VALUES)' hack/install.sh install

.PHONY: uninstall
uninstall: ## Remove the operator again, and say what stays (EVERYTHING=1: nothing does)
	@$(INSTALL_ENV) EVERYTHING='$(EVERYTHING)' hack/install.sh uninstall
