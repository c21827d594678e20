#!/usr/bin/env bash
# Builds what NVIDIA's GPU Operator would bring, from Go modules, into a folder of the cache, and prints the folder: the device plugin and
# GPU Feature Discovery, the container toolkit's CDI tools, and Node Feature Discovery. They need cgo, for NVML is loaded at run time.
set -euo pipefail

device_plugin=v0.18.0
container_toolkit=v1.20.1
node_feature_discovery=v0.18.3

cache="${ASSAY_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/assay}/gpu-programs"
mkdir -p "$cache"
exec 9>"$cache/lock"
flock 9

# tool FOLDER MODULE VERSION REPLACED PACKAGE...: builds commands in a module that requires nothing else, so that the versions are those of
# the module's own go.mod. REPLACED is a module beside it that has the same version, or empty.
tool() {
  local folder="$cache/$1" module="$2" version="$3" replaced="$4"
  shift 4
  [[ -d "$folder" ]] && return
  local source partial="$folder.partial"
  source="$(mktemp -d)"
  rm -rf "$partial" && mkdir -p "$partial"
  {
    printf 'module tool\n\ngo 1.26\n\nrequire %s %s\n' "$module" "$version"
    [[ -z "$replaced" ]] || printf 'replace %s => %s %s\n' "$replaced" "$replaced" "$version"
    printf 'tool %s\n' "${@/#/$module/}"
  } >"$source/go.mod"
  (cd "$source" && CGO_ENABLED=1 GOWORK=off GOFLAGS=-buildvcs=false go build -mod=mod -trimpath -ldflags '-s -w -extldflags=-Wl,-z,lazy' \
    -o "$partial/" "${@/#/$module/}") >&2
  rm -rf "$source"
  mv "$partial" "$folder"
}

tool "device-plugin-$device_plugin" github.com/NVIDIA/k8s-device-plugin "$device_plugin" "" \
  cmd/nvidia-device-plugin cmd/gpu-feature-discovery
tool "container-toolkit-$container_toolkit" github.com/NVIDIA/nvidia-container-toolkit "$container_toolkit" "" \
  cmd/nvidia-ctk cmd/nvidia-cdi-hook
tool "node-feature-discovery-$node_feature_discovery" sigs.k8s.io/node-feature-discovery "$node_feature_discovery" \
  sigs.k8s.io/node-feature-discovery/api/nfd cmd/nfd-master cmd/nfd-worker
module="$(cd "$(mktemp -d)" && GOWORK=off go mod download -json "sigs.k8s.io/node-feature-discovery@$node_feature_discovery" | sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')"
install -m 644 "$module/deployment/base/nfd-crds/nfd-api-crds.yaml" "$cache/node-feature-discovery-$node_feature_discovery/"
for program in "$cache"/*-v*/*; do
  ln -sfn "${program#"$cache"/}" "$cache/$(basename "$program")"
done
printf '%s\n' "$cache"
