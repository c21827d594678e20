#!/usr/bin/env bash
# Builds the site of docs/ into build/site: the pages as they are, the README as its front page, and a reference that is generated from
# the API's types, the commands' help and the benchmarks' YAML. A link that leads nowhere fails the build.
#
# Usage: hack/docs/build.sh, by `make docs`
# Environment: ASSAY_CRD_REF_DOCS, ASSAY_PYTHON   that program; the Python that has mkdocs
set -euo pipefail

cd "$(dirname "$0")/../.."
pages=build/docs
rm -rf "$pages" build/site
mkdir -p "$pages"/reference/{cli,catalogue}
cp -r docs/. "$pages"
cp README.md "$pages/index.md"

hack/step.sh docs-api "Generating the reference of the API" \
  "$ASSAY_CRD_REF_DOCS" --source-path api/v1alpha1 --config hack/docs/crd-ref-docs.yaml --renderer markdown --output-path "$pages/reference/api.md"
CGO_ENABLED=0 hack/step.sh docs-cli "Generating the reference of kubectl assay" go run ./hack/docs/cli "$pages/reference/cli"
CGO_ENABLED=0 hack/step.sh docs-catalogue "Generating the reference of the benchmarks" go run ./hack/docs/catalogue "$pages/reference/catalogue"
NO_MKDOCS_2_WARNING=1 hack/step.sh docs-site "Building the site" "$ASSAY_PYTHON" -m mkdocs build --strict
echo "The site is in build/site: open build/site/index.html"
