#!/usr/bin/env bash
# Packs OpenMM with its CUDA platform and NumPy for a machine without network: site.tar.xz in the given folder. Needs pip and xz.
# Usage: hack/gpu/applications/build/openmm.sh FOLDER [PYTHON-VERSION]
set -euo pipefail
folder="$(mkdir -p "$1" && cd "$1" && pwd)" python="${2:-3.12}"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
pip install --quiet --no-deps --target "$work/site" --python-version "$python" --only-binary :all: --platform manylinux_2_34_x86_64 \
  --platform manylinux_2_28_x86_64 --platform manylinux_2_27_x86_64 --platform any \
  -r "$(dirname "$0")/../../../../images/bench-openmm/requirements.txt"
cd "$work/site"
# What the program does not use: headers, force fields, other platforms, tests.
rm -rf OpenMM.libs/include bin numpy/f2py numpy/*/tests numpy/tests OpenMM.libs/lib/plugins/*{Amoeba,Drude,RPMD,OpenCL}*
find openmm/app/data -type f ! -name tip3p.pdb -delete
tar -C "$work" -cf - site | nice xz -6 -T1 >"$folder/site.tar.xz"
ls -l "$folder/site.tar.xz"
