#!/usr/bin/env bash
# Runs the end-to-end tests on a local cluster of their own: four nodes, the images of this tree, the operator from config/.
# The cluster is removed at the end.
#
# Usage: test/e2e/run.sh, by `make test-e2e`, which builds what it needs.
# Environment: E2E_CLUSTER    name of the cluster (default: e2e)
#              KEEP=1         leaves the cluster, for a look around
#              RUN            tests to run, as go test -run takes it (default: all)
#              GO_TEST_FLAGS  more flags of the tests, as go test takes them (-v ...)
set -euo pipefail

cd "$(dirname "$0")/../.."
cluster="${E2E_CLUSTER:-e2e}"
started=$SECONDS
export KUBECONFIG="/var/lib/assay-cluster/$cluster/kubeconfig"
export ASSAY_E2E_CLUSTER="$cluster"

step() { printf '[%3ds] %s\n' "$((SECONDS - started))" "$*"; }

finish() {
  local code=$?
  if ((code != 0)) && [[ ${ready:-} != yes ]]; then
    bin/kubectl get nodes,pods -A -o wide || true
    bin/kubectl -n assay-system logs deployment/assay-manager --tail=40 || true
  fi
  if [[ -n ${KEEP:-} ]]; then
    echo "The cluster is left: export KUBECONFIG=$KUBECONFIG; remove it by make cluster-down CLUSTER=$cluster"
  else
    bin/clusterctl down --name "$cluster" >/dev/null
  fi
}

# The image as it was built for this tree; it comes from the cache.
load_image() {
  local archive
  archive="$(hack/images/build.sh "$1")"
  bin/clusterctl load --name "$cluster" "$archive" >/dev/null
}

step "compiling the tests"
go vet -tags e2e ./test/e2e

step "starting cluster $cluster"
bin/clusterctl down --name "$cluster" >/dev/null
trap finish EXIT
bin/clusterctl up --name "$cluster" --nodes 4 >/dev/null
step "loading the images"
for image in manager runner bench-cpu; do load_image "$image"; done

step "installing the operator"
bin/kubectl apply --server-side -k config/crd >/dev/null
bin/kubectl wait --for=condition=Established -f config/crd/bases --timeout=60s >/dev/null
bin/kubectl apply --server-side -k test/e2e/testdata/install >/dev/null
bin/kubectl -n assay-system rollout status deployment/assay-manager --timeout=120s >/dev/null
ready=yes

step "testing"
# Each lane of nodes is one parallel test. The last line is that of go test.
read -ra flags <<<"${GO_TEST_FLAGS:-}"
go test -tags e2e -count=1 -timeout 20m -parallel 8 ${RUN:+-run "$RUN"} "${flags[@]}" ./test/e2e
