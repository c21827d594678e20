#!/usr/bin/env bash
# Builds GROMACS with CUDA as images/bench-gromacs-gpu does, and packs it for a machine without network: gromacs.tar.xz in the given folder.
# Usage: hack/gpu/applications/build/gromacs.sh FOLDER [CUDA-ARCHITECTURE]      (Debian 12; takes more than half an hour on two cores)
# Needs apt's sources with deb-src, dpkg-dev, cmake, ninja, libfftw3-dev, pip, xz.
set -euo pipefail
folder="$(mkdir -p "$1" && cd "$1" && pwd)" architecture="${2:-90}"
cd "$(dirname "$0")/../../../.."
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

# The toolkit that has no cuFFT, and what of it GROMACS looks for.
cp -aL "$(hack/gpu/setup-cuda.sh)" "$work/cuda"
pip install --quiet --no-deps --target "$work/wheels" 'nvidia-cufft==12.0.*' 'nvidia-cuda-profiler-api==13.0.*'
cp -a "$work"/wheels/nvidia/cu13/. "$work/cuda/"
ln -sf libcufft.so.12 "$work/cuda/lib/libcufft.so"
[[ -e "$work/cuda/lib64" ]] || ln -s lib "$work/cuda/lib64"

(cd "$work" && apt-get source -qq gromacs=2022.5-2)
nice cmake -G Ninja -S "$work/gromacs-2022.5" -B "$work/build" -DGMX_GPU=CUDA -DGMX_SIMD=AVX2_256 -DGMX_CUDA_TARGET_SM="$architecture" \
  -DCUDA_TOOLKIT_ROOT_DIR="$work/cuda" -DCUDA_HOST_COMPILER=/usr/bin/g++ -DCUDA_NVCC_FLAGS=-static-global-template-stub=false \
  -DGMX_FFT_LIBRARY=fftw3 -DGMX_EXTERNAL_BLAS=OFF -DGMX_EXTERNAL_LAPACK=OFF -DGMX_HWLOC=OFF -DGMXAPI=OFF -DGMX_INSTALL_NBLIB_API=OFF \
  -DGMX_BUILD_HELP=OFF -DBUILD_TESTING=OFF -DCMAKE_INSTALL_PREFIX=/gromacs >"$folder/build.log"
nice cmake --build "$work/build" --target gmx >>"$folder/build.log"
DESTDIR="$work" nice cmake --install "$work/build" --strip >>"$folder/build.log"
for library in libfftw3f.so.3 libgomp.so.1; do cp -L "/usr/lib/$(gcc -print-multiarch)/$library" "$work/gromacs/lib/"; done
tar -C "$work" -cf - gromacs/bin/gmx gromacs/lib gromacs/share/gromacs/top | nice xz -6 -T1 >"$folder/gromacs.tar.xz"
ls -l "$folder/gromacs.tar.xz"
