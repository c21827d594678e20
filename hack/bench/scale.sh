#!/usr/bin/env bash
# Brings up a cluster of simulated nodes, measures the operator on it (test/scale, which takes the arguments) and takes the cluster down again.
set -euo pipefail
cd "$(dirname "$0")/../.."
name=scale
stages=$(mktemp -d)
trap 'rm -rf "$stages"; [ -n "${KEEP:-}" ] || "$CLUSTERCTL" down --name $name >/dev/null' EXIT
mkdir -p build
go build -o build/scale ./test/scale
build/scale --write-stages "$stages"
"$CLUSTERCTL" up --name $name --nodes 0 --kwok-nodes "$BENCH_NODES" --kwok-stages "$stages"
kubeconfig=$("$CLUSTERCTL" kubeconfig --name $name)
bin/kubectl --kubeconfig "$kubeconfig" apply --server-side -k config/crd >/dev/null
bin/kubectl --kubeconfig "$kubeconfig" wait --for=condition=Established crd --all --timeout=60s >/dev/null
build/scale --kubeconfig "$kubeconfig" --nodes "$BENCH_NODES" "$@"
