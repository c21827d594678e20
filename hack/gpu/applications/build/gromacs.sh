#!/usr/bin/env bash
# Packs GROMACS from the image bench-gromacs-gpu for a machine without network: gromacs.tar.xz in the given folder. Builds the image, unless
# it is there already, for the GPU of CUDA_ARCHITECTURE (hack/images/build.sh).
# Usage: hack/gpu/applications/build/gromacs.sh FOLDER
set -euo pipefail
folder="$(mkdir -p "$1" && cd "$1" && pwd)"
cd "$(dirname "$0")/../../../.."
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
hack/images/files.sh bench-gromacs-gpu "$work" usr/local usr/lib
mkdir -p "$work/gromacs/share"
cp -a "$work/usr/local/bin" "$work/usr/local/lib" "$work/gromacs/"
cp -a "$work/usr/local/share/gromacs" "$work/gromacs/share/"
for library in libfftw3f.so.3 libgomp.so.1; do cp -L "$(find "$work/usr/lib" -name "$library")" "$work/gromacs/lib/"; done
tar -C "$work" -cf - gromacs/bin gromacs/lib gromacs/share/gromacs/top | nice xz -6 -T1 >"$folder/gromacs.tar.xz"
ls -l "$folder/gromacs.tar.xz"
