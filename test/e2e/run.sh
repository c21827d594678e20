#!/usr/bin/env bash
# Runs the end-to-end tests on a local cluster of their own: four nodes, the images of this tree, the operator from config/.
# The cluster is removed at the end.
#
# Usage: test/e2e/run.sh [COMMAND...], by `make test-e2e`, which builds what it needs. The command runs beside the tests of which none
# is measured for its speed, at low priority; its output comes at the end, and its failure is one of the tests.
# Environment: E2E_CLUSTER      name of the cluster (default: e2e)
#              ASSAY_KARPENTER  folder with Karpenter's program and CRDs
#              ASSAY_PROMETHEUS  folder with the programs prometheus and promtool
#              KUBERNETES       version of the cluster, of which clusterctl has built the programs (default: clusterctl's own)
#              KEEP=1           leaves the cluster, for a look around
#              RUN              tests to run, as go test -run takes it (default: all)
#              GO_TEST_FLAGS    more flags of the tests, as go test takes them (-v ...)
set -euo pipefail

cd "$(dirname "$0")/../.."
cluster="${E2E_CLUSTER:-e2e}"
started=$SECONDS
export KUBECONFIG="/var/lib/assay-cluster/$cluster/kubeconfig"
export ASSAY_E2E_CLUSTER="$cluster"

step() { printf '[%3ds] %s\n' "$((SECONDS - started))" "$*"; }

finish() {
  local code=$?
  if [[ -n ${beside:-} ]]; then kill -- "-$beside" 2>/dev/null || true; fi
  rm -f "${output:-}"
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

export GOGC=400 # the daemons, kubectl and the tests collect garbage more rarely
export CGO_ENABLED=0 # as the operator is built: what both use is compiled once
step "compiling the tests"
GOMEMLIMIT=2GiB go vet -tags e2e ./test/e2e

step "starting cluster $cluster"
bin/clusterctl down --name "$cluster" >/dev/null
trap finish EXIT
trap 'exit 130' INT TERM
bin/clusterctl up --name "$cluster" --nodes 4 --kubernetes "${KUBERNETES:-}" >/dev/null
step "loading the images"
for image in manager runner bench-cpu; do load_image "$image"; done

step "installing the operator"
bin/kubectl apply --server-side -k config/crd >/dev/null
established() { bin/kubectl wait --for=condition=Established -f config/crd/bases --timeout=300s >/dev/null; }
established 2>/dev/null || { sleep 1; established; } # kubectl fails where a kind has no conditions yet
bin/kubectl apply --server-side -k test/e2e/testdata/install >/dev/null
bin/kubectl -n assay-system rollout status deployment/assay-manager --timeout=300s >/dev/null
ready=yes

# Each lane of nodes is one parallel test. The last line is that of go test.
read -ra flags <<<"${GO_TEST_FLAGS:-}"
run_tests() { go test -tags e2e -count=1 -timeout 80m -parallel 8 "$@" ./test/e2e "${flags[@]}"; }

alone='^TestEndToEnd$/^(measured|network)$'
failed=
if [[ -z ${RUN:-} ]]; then
  step "testing what is measured for its speed, alone"
  run_tests -run "$alone"
fi
if (($# > 0)); then
  step "starting beside the other tests: $*"
  output="$(mktemp)"
  set -m # a process group of its own, which can be ended as one
  nice -n 10 "$@" >"$output" 2>&1 &
  beside=$!
  set +m
fi
step "testing ${RUN:-the rest}"
if [[ -n ${RUN:-} ]]; then run_tests -run "$RUN"; else run_tests -skip "$alone"; fi || failed=1
if [[ -n ${beside:-} ]]; then
  step "waiting for: $*"
  wait "$beside" || failed=1
  beside=
  cat "$output"
fi
[[ -z $failed ]]
