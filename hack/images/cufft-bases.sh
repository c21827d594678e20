#!/usr/bin/env bash
# Adds cuFFT, and the profiler's header that programs with cuFFT include, to the two bases of hack/images/cuda-bases.sh, as NVIDIA's images
# have them, and prints the names of what results: the one to build with, the one to run with. They are layers on top, so that images
# without cuFFT are not built again.
#
# Usage: hack/images/cufft-bases.sh BASE-IMAGE     (with buildah; made once for each pair of bases)
set -euo pipefail
cd "$(dirname "$0")/../.."
read -r devel runtime < <(hack/images/cuda-bases.sh "${1:?usage: hack/images/cufft-bases.sh BASE-IMAGE}")
tag="$({ echo "$devel $runtime"; cat "$0"; } | sha256sum | cut -c1-12)"
with_devel="localhost/assay/cuda-cufft-devel:$tag" with_runtime="localhost/assay/cuda-cufft-runtime:$tag"
packages=('nvidia-cufft==12.0.*' 'nvidia-cuda-profiler-api==13.0.*')

exists() { buildah inspect --type image "$1" >/dev/null 2>&1; }

# image BASE FOLDER NAME: the base with the folder's contents in /usr/local/cuda.
image() {
  local container
  container="$(buildah from --pull-never "$1")"
  buildah add -q "$container" "$2" /usr/local/cuda >/dev/null
  buildah run --isolation chroot "$container" -- ldconfig
  buildah commit -q --rm "$container" "$3" >/dev/null
}

if ! exists "$with_devel" || ! exists "$with_runtime"; then
  work="$(mktemp -d)"
  trap 'rm -rf "$work"' EXIT
  python3 -m venv "$work/venv"
  hack/step.sh cufft "Downloading cuFFT" \
    "$work/venv/bin/pip" install --disable-pip-version-check --no-deps --no-compile --target "$work/wheels" "${packages[@]}"
  mv "$work/wheels/nvidia/cu13" "$work/devel"
  ln -s libcufft.so.12 "$work/devel/lib/libcufft.so"
  mkdir -p "$work/runtime/lib64" "$work/runtime/licenses"
  ln "$work/devel/lib/libcufft.so.12" "$work/runtime/lib64/"
  find "$work/wheels" -ipath '*/nvidia_cufft-*.dist-info/*licen*' -type f -exec cp {} "$work/runtime/licenses/cufft.txt" \;
  image "$devel" "$work/devel" "$with_devel"
  image "$runtime" "$work/runtime" "$with_runtime"
fi
echo "$with_devel $with_runtime"
