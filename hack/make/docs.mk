##@ Documentation

MKDOCS_MATERIAL_VERSION := 9.8.1
MKDOCS := $(ASSAY_CACHE)/mkdocs-material-$(MKDOCS_MATERIAL_VERSION)-$(shell sha256sum hack/docs/requirements.txt | cut -c1-8)
CRD_REF_DOCS_VERSION := v0.3.0
CRD_REF_DOCS := $(ASSAY_CACHE)/bin/crd-ref-docs-$(CRD_REF_DOCS_VERSION)

# What mkdocs-material asks for is pinned beside it.
$(MKDOCS):
	@python3 -c "import ensurepip" 2>/dev/null || hack/setup/packages.sh python3-venv
	@rm -rf $@ && python3 -m venv $@.partial
	@hack/step.sh mkdocs "Installing mkdocs" $@.partial/bin/python -m pip install --quiet --requirement hack/docs/requirements.txt
	@mv $@.partial $@ && touch $@

$(CRD_REF_DOCS): tool = github.com/elastic/crd-ref-docs@$(CRD_REF_DOCS_VERSION)
$(CRD_REF_DOCS):
	$(compile_tool)

# The programs of a virtual environment name its folder, which has moved: mkdocs is started as a module.
.PHONY: docs
docs: $(MKDOCS) $(CRD_REF_DOCS) ## Build the site of docs/ into build/site, and fail where a link leads nowhere
	@ASSAY_CRD_REF_DOCS=$(CRD_REF_DOCS) ASSAY_PYTHON=$(MKDOCS)/bin/python hack/docs/build.sh

.PHONY: test-tutorial
test-tutorial: ## Run the commands of docs/tutorial.md on a cluster of their own (root)
	@hack/docs/tutorial.sh
