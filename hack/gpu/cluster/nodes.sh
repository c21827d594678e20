#!/usr/bin/env bash
# Gives the nodes of a local cluster this machine's GPUs, as NVIDIA's GPU Operator would: on each node the device plugin (by CDI) and GPU
# Feature Discovery, both with the node's GPUs only, and a worker of Node Feature Discovery; its master once.
#
# Usage: hack/gpu/cluster/nodes.sh up GPUS-PER-NODE [REPLICAS]     (0: one node has all; REPLICAS: time-slicing, each GPU offered so often)
#        hack/gpu/cluster/nodes.sh dra GPUS-PER-NODE              instead of all that, the local cluster's DRA driver, with the real GPUs by CDI
#        hack/gpu/cluster/nodes.sh down
# Environment: CLUSTER (assay), KUBECONFIG, PROGRAMS (folder of the programs), LOGS (folder)
set -euo pipefail

cluster="${CLUSTER:-assay}"
state="/run/assay-gpus/$cluster"
self="$(realpath "$0")"

# The minor numbers of all GPUs, in the order of their PCI addresses.
minors() {
  local gpu
  for gpu in /proc/driver/nvidia/gpus/*/information; do
    awk '$1 == "Device" && $2 == "Minor:" { print $3 }' "$gpu"
  done
}

# daemon NAME COMMAND...: in a session of its own, so that it outlives this script.
daemon() {
  local name="$1"
  shift
  setsid "$@" >"$LOGS/$name.log" 2>&1 </dev/null &
  echo $! >"$state/$name.pid"
}

# on_node NODE MINORS COMMAND...: in the node's mount namespace, with the device files of these GPUs only.
on_node() {
  local node="$1" own="$2"
  shift 2
  exec nsenter --mount="/run/assay-cluster/$cluster/ns/$node" unshare --mount --propagation private "$self" hide "$own" "$@"
}

# hide MINORS COMMAND...: what a container's device cgroup does. The driver would make the files of other GPUs again, unless its parameters
# say that it must not.
hide() {
  local own=" $1 " params dev minor
  shift
  params="$(mktemp -p "$state")" dev="$(mktemp -d -p "$state")"
  sed 's/^ModifyDeviceFiles: .*/ModifyDeviceFiles: 0/' /proc/driver/nvidia/params >"$params"
  mount --bind "$params" /proc/driver/nvidia/params
  mount -t tmpfs -o mode=755 assay-dev "$dev"
  cp -ax /dev/. "$dev/"
  for minor in $(minors); do
    [[ "$own" == *" $minor "* ]] || rm "$dev/nvidia$minor"
  done
  mount --move "$dev" /dev
  exec "$@"
}

plugin_config() {
  echo 'version: v1'
  if (($1 > 1)); then
    printf 'sharing:\n  timeSlicing:\n    resources:\n    - {name: nvidia.com/gpu, replicas: %d}\n' "$1"
  fi
}

start_node() { # NODE MINORS PORT
  local common=(--config-file="$state/plugin.yaml" --device-discovery-strategy=nvml --container-driver-root=/)
  daemon "device-plugin-$1" "$self" on-node "$1" "$2" "$PROGRAMS/nvidia-device-plugin" "${common[@]}" \
    --device-list-strategy=cdi-cri --nvidia-driver-root=/ --nvidia-cdi-hook-path="$(realpath "$PROGRAMS/nvidia-cdi-hook")"
  NODE_NAME="$1" NAMESPACE=node-feature-discovery daemon "gpu-feature-discovery-$1" "$self" on-node "$1" "$2" \
    "$PROGRAMS/gpu-feature-discovery" "${common[@]}" --use-node-feature-api
  NODE_NAME="$1" KUBERNETES_NAMESPACE=node-feature-discovery daemon "nfd-worker-$1" \
    nsenter --mount="/run/assay-cluster/$cluster/ns/$1" "$PROGRAMS/nfd-worker" -no-owner-refs -kubeconfig="$KUBECONFIG" -port="$3"
}

up() {
  local per="$1" all port=18081 node index=0
  mapfile -t all < <(minors)
  mkdir -p "$state"
  plugin_config "${2:-1}" >"$state/plugin.yaml"
  kubectl create namespace node-feature-discovery --dry-run=client -o yaml | kubectl apply -f - >/dev/null
  kubectl apply --server-side -f "$PROGRAMS/nfd-api-crds.yaml" >/dev/null
  NODE_NAME=node-1 KUBERNETES_NAMESPACE=node-feature-discovery daemon nfd-master "$PROGRAMS/nfd-master" -kubeconfig="$KUBECONFIG" -port=18080
  for node in $(kubectl get nodes -o name | sed 's/^node.//' | sort -V); do
    start_node "$node" "${all[*]:index:${per/#0/${#all[@]}}}" "$port"
    index=$((index + per)) port=$((port + 1))
  done
}

# Containers get the GPUs that they claimed by the CDI devices of NVIDIA's toolkit, whose names are UUIDs.
dra() {
  local per="$1" node index=0 cdi
  mkdir -p "$state"
  for node in $(kubectl get nodes -o name | sed 's/^node.//' | sort -V); do
    cdi="/run/assay-cluster/$cluster/$node/cdi/nvidia.yaml"
    "$PROGRAMS/nvidia-ctk" cdi generate --device-name-strategy=uuid --nvidia-cdi-hook-path="$(realpath "$PROGRAMS/nvidia-cdi-hook")" \
      --output="$cdi" 2>"$LOGS/cdi-$node.log"
    "$(dirname "$self")/devices.py" "$index" "$per" >"$state/$node.json"
    clusterctl --name "$cluster" dra start "$node" --devices "$state/$node.json" --cdi-kind nvidia.com/gpu
    index=$((index + per))
  done
}

# Ends what runs, by the process groups that daemon made.
down() {
  local file
  for file in "$state"/*.pid; do
    [[ -e "$file" ]] || continue
    kill -- "-$(cat "$file")" 2>/dev/null || true
  done
  rm -rf "$state"
  rmdir --ignore-fail-on-non-empty "$(dirname "$state")" 2>/dev/null || true
}

case "${1:-}" in
  up | dra | down | hide) "$@" ;;
  on-node) on_node "${@:2}" ;;
  *) sed -n 's/^# \{0,1\}//; 2,/^Environment/p' "$self" >&2; exit 2 ;;
esac
