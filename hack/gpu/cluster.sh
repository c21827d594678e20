#!/usr/bin/env bash
# Validates this machine's GPUs through Kubernetes: a local cluster of real nodes with NVIDIA's own device plugin, GPU Feature Discovery and
# Node Feature Discovery, the operator from config/, and a ValidationRun of a suite. Prints the verdict, the report, and where the time
# went. What it starts ends with it. It changes no setting of a GPU.
#
# Usage: hack/gpu/cluster.sh [options] [STEP...]
#   --gpus-per-node N   several nodes with N GPUs each (default 0: one node with all)
#   --replicas N        the device plugin offers each GPU N times (time-slicing)
#   --dra               GPUs are claimed: the local cluster's DRA driver instead of NVIDIA's components (see hack/localcluster/README.md)
#   --suite NAME        what the step `suite` runs (default quick)
#   --out DIR           where logs and outputs go (default build/gpu-cluster/out)
#   --keep              leave the cluster running; `hack/gpu/cluster.sh down` ends it
# Steps, in the order given (default: suite):
#   suite               the suite on all nodes, with its time line
#   disturbed           gpustream beside a process outside Kubernetes that uses a part of gpu0
#   slow                collectives on nodes whose NCCL is told to do without peer access: fail, taint; then without: proof, untaint
#   fabric              nccl-cluster over all nodes, and mpibench with buffers in GPU memory over pairs
#   claims              with --dra: pods that claim one GPU each see that one, and no other
#   quarantine          with --dra: a slow GPU is taken out of service, the others work; then it proves itself, and works too
#   shell               an interactive shell on the cluster
# `make gpu-cluster` builds what it needs; bundle.sh packs it for a machine without network.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
here=hack/gpu/cluster

export CLUSTER=gpus KUBECONFIG=/var/lib/assay-cluster/gpus/kubeconfig
export PROGRAMS="${ASSAY_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/assay}/gpu-programs"
export PATH="$PWD/bin:$PWD/bin/localcluster:$PATH:/usr/local/sbin:/usr/sbin:/sbin"
per_node=0 replicas=1 dra='' suite=quick out=build/gpu-cluster/out keep='' steps=()

parse() {
  while (($# > 0)); do
    case "$1" in
      --gpus-per-node) per_node="$2"; shift ;;
      --replicas) replicas="$2"; shift ;;
      --dra) dra=yes ;;
      --suite) suite="$2"; shift ;;
      --out) out="$2"; shift ;;
      --keep) keep=yes ;;
      suite | disturbed | slow | fabric | claims | quarantine | shell | down) steps+=("$1") ;;
      *) sed -n 's/^# \{0,1\}//; 2,/^`make/p' hack/gpu/cluster.sh >&2; exit 2 ;;
    esac
    shift
  done
  ((${#steps[@]})) || steps=(suite)
}

since() { awk -v from="$1" -v to="$EPOCHREALTIME" 'BEGIN { printf "%.1f", to - from }'; }
say() { printf '[%5s s] %s\n' "$(since "$started")" "$*"; }
show() { printf '$ %s\n' "$*"; "$@"; }

check_machine() {
  ((EUID == 0)) || { echo "cluster.sh: needs root" >&2; exit 1; }
  command -v nvidia-smi >/dev/null || { echo "cluster.sh: this machine has no nvidia-smi: install NVIDIA's driver" >&2; exit 1; }
  [[ -x bin/clusterctl && -x "$PROGRAMS/nvidia-device-plugin" ]] || { echo "cluster.sh: run make gpu-cluster first" >&2; exit 1; }
  gpus="$(nvidia-smi --query-gpu=uuid --format=csv,noheader | wc -l)"
  nodes=1
  if ((per_node > 0)); then nodes=$((gpus / per_node)); fi
  ((nodes > 0)) || { echo "cluster.sh: $gpus GPUs are not enough for nodes with $per_node" >&2; exit 1; }
  ((per_node > 0)) || per_node=$gpus
  nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | sort | uniq -c
}

make_image() {
  local programs=build/kernels-cuda/bin made=build/gpu-cluster
  if [[ ! -e "$made/bench-cuda.tar" || -n "$(find "$programs" "$made"/{base,openmpi}.tar -newer "$made/bench-cuda.tar" -print -quit)" ]]; then
    $here/image.sh $made/base.tar "$programs" $made/bench-cuda.tar $made/openmpi.tar
  fi
}

load_images() {
  local image archive
  for image in runner manager; do
    archive="build/gpu-cluster/$image.tar"
    [[ -e "$archive" ]] || archive="$(hack/images/build.sh "$image")"
    clusterctl --name "$CLUSTER" load "$archive" >/dev/null
  done
}

# kubectl fails where a kind has no conditions yet.
established() { kubectl kustomize config/crd | kubectl wait --for=condition=Established --timeout=60s -f - >/dev/null; }

install_operator() {
  kubectl apply --server-side -k config/crd >/dev/null
  established 2>/dev/null || { sleep 1; established; }
  kubectl apply --server-side -k config/localcluster >/dev/null
  kubectl -n assay-system rollout status deployment/assay-manager --timeout=120s >/dev/null
}

# The device plugin and the two feature discoveries have told the API server what each node has.
wait_for_gpus() {
  local columns='{range .items[*]}{.status.allocatable.nvidia\.com/gpu} {.metadata.labels.nvidia\.com/gpu\.product}{"\n"}{end}'
  for ((try = 0; try < 300; try++)); do
    if kubectl get nodes -o jsonpath="$columns" | awk -v want="$1" '$1 != want || NF < 2 { bad = 1 } END { exit bad }'; then return; fi
    sleep 0.2
  done
  echo "cluster.sh: after a minute some node does not offer $1 nvidia.com/gpu, or has no label nvidia.com/gpu.product; the ends of the logs:" >&2
  kubectl get nodes -o jsonpath="$columns" >&2
  tail -n 5 "$out"/logs/{device-plugin,gpu-feature,nfd}*.log >&2
  exit 1
}

up() {
  local making
  mkdir -p "$out/logs"
  make_image & making=$!
  clusterctl --name "$CLUSTER" up --nodes "$nodes" >"$out/logs/up.log" || { cat "$out/logs/up.log"; exit 1; }
  say "$nodes nodes are Ready"
  if [[ -n "$dra" ]]; then
    LOGS="$(realpath "$out/logs")" $here/nodes.sh dra "$per_node"
  else
    LOGS="$(realpath "$out/logs")" $here/nodes.sh up "$per_node" "$replicas"
  fi
  load_images
  install_operator
  say "the operator runs"
  wait "$making"
  clusterctl --name "$CLUSTER" load build/gpu-cluster/bench-cuda.tar >/dev/null
  say "the image of the GPU programs is loaded ($(du -m build/gpu-cluster/bench-cuda.tar | cut -f1) MB)"
  [[ -z "$dra" ]] || return 0
  wait_for_gpus $((per_node * replicas))
  say "every node offers $((per_node * replicas)) nvidia.com/gpu, and is labelled"
  show kubectl get nodes -L nvidia.com/gpu.product,nvidia.com/gpu.count,nvidia.com/gpu.memory,nvidia.com/cuda.driver-version.full
}

# Whatever way the script ends, nothing that it started goes on: neither a neighbour on a GPU nor, as a group of processes, the recorder.
leave() {
  local process
  for process in $(jobs -p); do kill -- "-$process" 2>/dev/null || kill "$process" 2>/dev/null || true; done
  [[ -n "$keep" ]] || down
}

down() {
  $here/nodes.sh down
  clusterctl --name "$CLUSTER" down
}

# run NAME EXIT-CODE: applies the run that manifest wrote, follows it to its verdict, and shows what came of it. 0: Pass, 1: not, anything: "".
run() {
  local code=0 applied
  applied=$EPOCHREALTIME
  show kubectl apply -f "$out/$1.yaml"
  show timeout 600 kubectl assay watch "$1" >"$out/$1.watch" 2>&1 || code=$?
  say "verdict $(since "$applied") s after apply"
  show kubectl assay report "$1" | tee "$out/$1.report"
  kubectl get validationruns,validationresults -o yaml >"$out/$1.objects.yaml"
  rm -f "$out/$1.jsonl" && kubectl assay export "$1" --to "$out/$1.jsonl"
  [[ -z "${2:-}" || "$code" == "$2" ]] || { echo "cluster.sh: run $1 ended with $code, expected $2" >&2; failed=1; }
}

# manifest NAME: a run of all nodes, with further lines of its spec from stdin.
manifest() {
  {
    printf 'apiVersion: assay.dev/v1alpha1\nkind: ValidationRun\nmetadata: {name: %s}\nspec:\n' "$1"
    printf '  selector: {matchLabels: {assay.dev/localcluster: "true"}}\n'
    sed 's/^/  /'
  } >"$out/$1.yaml"
}

main() {
  parse "$@"
  started=$EPOCHREALTIME failed=0
  if [[ "${steps[*]}" == down ]]; then down; exit; fi
  check_machine
  trap leave EXIT
  up
  source $here/steps.sh
  for step in "${steps[@]}"; do
    say "step $step"
    "step_$step"
  done
  exit "$failed"
}

if [[ "${BASH_SOURCE[0]}" == "$0" ]]; then main "$@"; fi
