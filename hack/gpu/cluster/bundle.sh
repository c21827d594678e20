#!/usr/bin/env bash
# Packs everything that hack/gpu/cluster.sh needs into archives for a machine with GPUs and no network: copy them there, and run
#   cat programs.*.xz | xz -dc -T0 | tar -C FOLDER -x     and the same with assay.*.xz
#   FOLDER/assay/hack/gpu/cluster/install.sh && cd FOLDER/assay && hack/gpu/cluster.sh
# programs: the cluster's, NVIDIA's and the system's, which seldom change. assay: what is built from this clone.
#
# Usage: hack/gpu/cluster/bundle.sh FOLDER [programs|assay]     (MiB of a part: PART_MIB, 48 by default)
set -euo pipefail
cd "$(dirname "$0")/../../.."
out="${1:?usage: hack/gpu/cluster/bundle.sh FOLDER [programs|assay]}" only="${2:-}"
cache="${ASSAY_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/assay}"
stage="$(mktemp -d)"
trap 'rm -rf "$stage"' EXIT
mkdir -p "$out" && out="$(realpath "$out")"

# pack NAME FOLDER...: the folders of the stage as one stream, in parts.
pack() {
  local name="$1"
  shift
  rm -f "$out/$name".*.xz
  tar -C "$stage" --numeric-owner -cf - "$@" | xz -T0 "-${XZ_LEVEL:-6}" --block-size=32MiB | split -b "${PART_MIB:-48}M" -d --additional-suffix=.xz - "$out/$name."
}

# Of the local cluster's programs, those of the set that bin/localcluster links to, but for kwok: there are no simulated nodes.
stage_programs() {
  local set folder
  set="$(readlink -f bin/localcluster)"
  mkdir -p "$stage/cache/assay/localcluster" "$stage/system"
  for folder in "$set" $(find "$set" -type l -exec readlink -f {} + | xargs -n1 dirname | sort -u | grep -v "^$set" | grep -v kwok); do
    folder="$(cd "$folder" && pwd)"
    [[ "$folder" != */mpi-operator-manifests ]] || continue
    cp -a "$folder" "$stage/cache/assay/localcluster/"
  done
  cp -a "$cache/gpu-programs" "$stage/cache/assay/"
  cp build/gpu-cluster/base.tar "$stage/"
  hack/gpu/cluster/system.sh "$stage/system"
}

stage_assay() {
  local image
  mkdir -p "$stage/assay"/{bin,build/gpu-cluster}
  cp bin/clusterctl bin/kubectl-assay "$stage/assay/bin/"
  cp -r --parents hack/gpu hack/images hack/setup hack/step.sh config build/kernels-cuda/{bin,tools} "$stage/assay/"
  strip "$stage"/assay/build/kernels-cuda/{bin,tools}/*
  cp build/gpu-cluster/openmpi.tar "$stage/assay/build/gpu-cluster/"
  for image in manager runner; do
    cp "$(hack/images/build.sh "$image")" "$stage/assay/build/gpu-cluster/$image.tar"
  done
}

if [[ "$only" != assay ]]; then stage_programs; pack programs cache base.tar system; fi
if [[ "$only" != programs ]]; then stage_assay; pack assay assay; fi
ls -l "$out"
