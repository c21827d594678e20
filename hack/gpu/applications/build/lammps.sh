#!/usr/bin/env bash
# Packs LAMMPS from the image bench-lammps-gpu for a machine without network, with the inputs of its benchmark, our program and the
# libraries that a GPU machine may lack: lammps.tar.xz in the given folder. Builds the image, unless it is there already, for the GPU of
# CUDA_ARCHITECTURE (hack/images/build.sh).
# Usage: hack/gpu/applications/build/lammps.sh FOLDER
set -euo pipefail
folder="$(mkdir -p "$1" && cd "$1" && pwd)"
cd "$(dirname "$0")/../../../.."
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
hack/images/files.sh bench-lammps-gpu "$work" usr/local/bin usr/share/lammps usr/share/doc/lammps usr/lib
tree="$work/tree"
mkdir -p "$tree/bin" "$tree/lib"
cp -a "$work/usr/share/lammps/bench" "$tree/bench"
cp "$work/usr/share/doc/lammps/copyright" "$tree/LICENSE"
cp "$work"/usr/local/bin/{lmp,lammps} "$tree/bin/"
for library in libgomp.so.1 libhwloc.so.15; do cp -L "$(find "$work/usr/lib" -name "$library")" "$tree/lib/"; done
tar -C "$tree" -cf - . | nice xz -6 -T1 >"$folder/lammps.tar.xz"
ls -l "$folder/lammps.tar.xz"
