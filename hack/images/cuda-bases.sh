#!/usr/bin/env bash
# Makes the two bases of images/bench-cuda from a Debian base image and the CUDA toolkit of hack/gpu/setup-cuda.sh, where
# NVIDIA's images cannot be pulled, and prints their names: the one to build with, the one to run with. What is in
# /usr/local/cuda, in PATH and on the loader's path is what NVIDIA's devel and runtime images have of it.
#
# Usage: hack/images/cuda-bases.sh BASE-IMAGE     (with buildah; made once for each base and toolkit)
set -euo pipefail
cd "$(dirname "$0")/../.."
base="${1:?usage: hack/images/cuda-bases.sh BASE-IMAGE}"
toolkit="$(hack/gpu/setup-cuda.sh)"
tag="$({ echo "$base"; cat hack/gpu/setup-cuda.sh "$0"; } | sha256sum | cut -c1-12)"
devel="localhost/assay/cuda-devel:$tag" runtime="localhost/assay/cuda-runtime:$tag"

exists() { buildah inspect --type image "$1" >/dev/null 2>&1; }

# Links that lead out of the toolkit (NCCL's, which is a package of its own) become what they lead to.
copy_toolkit() {
  local link
  mkdir -p "$1"
  cp -a "$toolkit/." "$1/"
  find "$1" -type l -lname '/*' | while read -r link; do
    cp --remove-destination "$(readlink -f "$link")" "$link"
  done
}

copy_runtime() {
  local library
  mkdir -p "$1/lib64" "$1/licenses"
  for library in libcublas.so.13 libcublasLt.so.13 libcudart.so.13 libnccl.so.2; do
    cp -L "$toolkit/lib64/$library" "$1/lib64/"
  done
  for library in cublas cuda_runtime nccl_cu13; do
    find "$toolkit/../.." -maxdepth 3 -ipath "*/nvidia_$library-*.dist-info/*licen*" -type f -exec cp {} "$1/licenses/$library.txt" \;
  done
}

# image NAME COPY-FUNCTION: the base with what the function copies as /usr/local/cuda.
image() {
  local container root
  root="$(mktemp -d)"
  "$2" "$root/cuda"
  container="$(buildah from --pull-never "$base")"
  buildah add -q "$container" "$root/cuda" /usr/local/cuda >/dev/null
  rm -rf "$root"
  buildah run --isolation chroot "$container" -- sh -c 'echo /usr/local/cuda/lib64 >/etc/ld.so.conf.d/cuda.conf && ldconfig'
  buildah config --env PATH=/usr/local/cuda/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$container"
  buildah commit -q --rm "$container" "$1" >/dev/null
}

exists "$devel" || image "$devel" copy_toolkit
exists "$runtime" || image "$runtime" copy_runtime
echo "$devel $runtime"
