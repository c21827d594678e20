#!/usr/bin/env bash
# Builds what hack/gpu/applications/lammps.sh needs, on a machine without GPUs, from the same source and by the same script as the image
# bench-lammps-gpu: LAMMPS, its benchmark's inputs, our program, and the libraries that a GPU machine may lack. Debian, as root or with its
# libopenmpi-dev, libhwloc-dev, dpkg-dev and what hack/setup/kernels.sh installs. 25 minutes of one core.
#
# Usage: hack/gpu/applications/build/lammps.sh ARCHITECTURE OUT     (for example sm_90 and a folder; writes OUT/lammps.tar.xz)
set -euo pipefail
cd "$(dirname "$0")/../../../.."
architecture="${1:?usage: lammps.sh ARCHITECTURE OUT}" out="${2:?usage: lammps.sh ARCHITECTURE OUT}"
work="$PWD/build/lammps-gpu" tree="$PWD/build/lammps-gpu/tree"
mkdir -p "$work/source" "$work/lmp" "$out"
[[ -e "$work/source/src" ]] || images/bench-lammps/from-debian.sh source "$work/source"
[[ -e "$work/inputs/usr" ]] || images/bench-lammps/from-debian.sh inputs "$work/inputs"
cuda="$(hack/gpu/setup-cuda.sh)"
images/bench-lammps/build-gpu.sh "$work/source" "$work/lmp" "$cuda" "$architecture"
cmake -G Ninja -S kernels -B "$work/kernels" -DASSAY_CUDA=ON -DASSAY_TESTS=OFF -DCMAKE_CUDA_COMPILER="$cuda/bin/nvcc" \
  -DCMAKE_CUDA_ARCHITECTURES="${architecture#sm_}-real"
cmake --build "$work/kernels" --target lammps

rm -rf "$tree"
mkdir -p "$tree/bin" "$tree/lib"
cp -r "$work/inputs/usr/share/lammps/bench" "$tree/bench"
cp "$work/source/LICENSE" "$tree/"
install -s -t "$tree/bin" "$work/lmp/lmp" "$work/kernels/bin/lammps"
for library in libgomp.so.1 libhwloc.so.15; do
  cp -L "$(ldd "$work/lmp/lmp" | awk -v name="$library" '$1 == name { print $3 }')" "$tree/lib/"
done
tar -cJf "$out/lammps.tar.xz" -C "$tree" .
ls -l "$out/lammps.tar.xz"
