#!/usr/bin/env bash
# On a local cluster of two nodes: README's commands to install Assay, start a run and uninstall, which must leave nothing. Then Helm installs
# it, upgrades it, rolls it back, uninstalls it and installs it again, each time with a validation in progress or a node tainted. What users
# have must survive each step. The cluster is removed at the end.
#
# Usage: test/upgrade/run.sh [COMMIT], by `make test-upgrade` or `make test-helm`, which build what it needs.
#   COMMIT   the release to upgrade from; it is compiled. Without it, the chart of this tree is upgraded to itself with other values.
# Environment: UPGRADE_CLUSTER  name of the cluster (default: upgrade)
#              ASSAY_HELM       the helm to use
#              ASSAY_CRANE      a crane, which is the registry, too
#              KEEP=1           leaves the cluster, for a look around
set -euo pipefail

cd "$(dirname "$0")/../.."
source test/upgrade/steps.sh
source test/upgrade/readme.sh
cluster="${UPGRADE_CLUSTER:-upgrade}"
previous="${1:-}"
: "${ASSAY_HELM:?name the helm to use}" "${ASSAY_CRANE:?name the crane to use}"
export KUBECONFIG="/var/lib/assay-cluster/$cluster/kubeconfig" PATH="$PWD/bin:$PATH"
export GOGC=400 # the daemons, helm and kubectl collect garbage more rarely
home="$(mktemp -d)"
export HELM_CACHE_HOME="$home" HELM_CONFIG_HOME="$home" HELM_DATA_HOME="$home"

finish() {
  local code=$?
  kill "${serve:-}" 2>/dev/null || true
  rm -rf "$home"
  if ((code != 0)); then
    kubectl get nodes,pods,validationruns -A -o wide || true
    kubectl -n assay-system logs deployment/assay-manager --tail=20 || true
  fi
  if [[ -n ${KEEP:-} ]]; then
    echo "The cluster is left: export KUBECONFIG=$KUBECONFIG; remove it by make cluster-down CLUSTER=$cluster"
  else
    clusterctl down --name "$cluster" >/dev/null
  fi
}
trap finish EXIT
trap 'exit 130' INT TERM

old_chart=charts/assay old_tag=dev
if [[ -n $previous ]]; then
  step "compiling release $previous"
  old="$(build_previous "$previous")"
  old_chart="$old/charts/assay" old_tag=previous
fi

step "starting cluster $cluster"
clusterctl down --name "$cluster" >/dev/null
clusterctl up --name "$cluster" --nodes 2 --no-mpi-operator >/dev/null
step "install by README's commands, run, and uninstall"
readme
for image in manager runner bench-cpu; do load "$(hack/images/build.sh "$image")"; done
if [[ -n $previous ]]; then for image in manager runner; do load "$old/$image.tar"; done; fi

step "install"
helm_ install assay "$old_chart" --create-namespace --set "image.tag=$old_tag,runner.image.tag=$old_tag"
crds_are "$old_chart"
kubectl apply -f test/upgrade/testdata >/dev/null
start unfit node-2
ends unfit NodesFailed USR1
tainted node-2
remember

step "upgrade in mid-run"
start upgraded node-1
pod="$(running upgraded)"
helm_ upgrade assay charts/assay --set "image.tag=dev,runner.image.tag=dev,podAnnotations.upgraded=yes"
crds_are charts/assay
nothing_lost
same_pod upgraded "$pod"
ends upgraded Passed TERM
attempts_of upgraded 1
start after-upgrade node-1
ends after-upgrade Passed TERM
history_moved node-2 1
history_moved node-1 2

step "roll back in mid-run"
remember
start rolled-back node-1
pod="$(running rolled-back)"
helm_ rollback assay 1
crds_are "$old_chart"
nothing_lost
same_pod rolled-back "$pod"
ends rolled-back Passed TERM
attempts_of rolled-back 1

step "uninstall"
remember
helm_ uninstall assay
gone deployment/assay-manager
nothing_lost

step "install again, and lift the taint"
helm_ install assay charts/assay
nothing_lost
history_moved node-2 1
start fit node-2
ends fit Passed TERM
untainted node-2
history_moved node-2 2
history_moved node-1 3
step "done"
