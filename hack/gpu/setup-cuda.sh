#!/usr/bin/env bash
# Installs the CUDA 13.0 compiler and libraries from Python wheels into a cache, so that the GPU
# programs compile and link on a machine without a GPU and without root. Prints the toolkit's folder.
#
# Usage: hack/gpu/setup-cuda.sh [--print]     (--print: only print the folder, install nothing)
# A toolkit that is there already is used instead when CUDA_HOME points to it.
set -euo pipefail

step="$(dirname "$0")/../step.sh"
cache="${XDG_CACHE_HOME:-$HOME/.cache}/assay/cuda"
venv="$cache/venv-13.0"
stamp="$venv/.complete-1"

# NCCL is pinned to the series that CUDA 13.0 images ship, so that what is linked here runs there.
packages=(
  'nvidia-cuda-nvcc==13.0.*' 'nvidia-cuda-crt==13.0.*' 'nvidia-nvvm==13.0.*'
  'nvidia-cuda-runtime==13.0.*' 'nvidia-cuda-cccl==13.0.*'
  'nvidia-cublas==13.0.*' 'nvidia-nvml-dev==13.0.*' 'nvidia-nccl-cu13==2.28.*'
)

if [[ -n "${CUDA_HOME:-}" && -x "$CUDA_HOME/bin/nvcc" ]]; then
  echo "$CUDA_HOME"
  exit 0
fi

toolkit() { echo "$venv"/lib/python3*/site-packages/nvidia/cu13; }

# The wheels carry only versioned libraries; the linker looks for the plain names.
link_names() {
  local library plain
  for library in "$1"/lib/*.so.*; do
    plain="${library%%.so.*}.so"
    [[ -e "$plain" ]] || ln -s "$(basename "$library")" "$plain"
  done
  [[ -e "$1/lib64" ]] || ln -s lib "$1/lib64"
}

if [[ ! -e "$stamp" && "${1:-}" != --print ]]; then
  mkdir -p "$cache"
  exec 9>"$cache/lock"
  flock 9
  if [[ ! -e "$stamp" ]]; then
    rm -rf "$venv"
    python3 -m venv "$venv"
    "$step" cuda-toolkit "Downloading the CUDA compiler and libraries" \
      "$venv/bin/pip" install --disable-pip-version-check "${packages[@]}"
    root="$(toolkit)"
    link_names "$root"
    # NCCL's wheel has a folder of its own.
    nccl="$(dirname "$root")/nccl"
    cp -sf "$nccl"/include/*.h "$root/include/"
    ln -sf "$nccl"/lib/libnccl.so.2 "$root/lib/libnccl.so.2"
    ln -sf libnccl.so.2 "$root/lib/libnccl.so"
    touch "$stamp"
  fi
fi
toolkit
