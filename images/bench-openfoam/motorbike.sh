#!/usr/bin/env bash
# Makes OpenFOAM's tutorial motorBike, with its mesh and uniform initial fields, in folder $1. About 4 minutes on one core.
set -euo pipefail

tutorials="${FOAM_TUTORIALS:-/usr/share/doc/openfoam-examples/examples}"
cp -r "$tutorials/incompressible/simpleFoam/motorBike" "$1"
cd "$1"
cp "$tutorials/resources/geometry/motorBike.obj.gz" constant/triSurface/
gunzip --force --recursive constant system
sed -i '/^functions/,$d' system/controlDict # pictures and forces, which nobody looks at here

for step in surfaceFeatureExtract blockMesh "snappyHexMesh -overwrite"; do
  echo "motorBike: $step" >&2
  # shellcheck disable=SC2086 # a program and its options
  $step >log 2>&1 || { tail -40 log >&2; exit 1; }
done
mkdir -p 0 # snappyHexMesh leaves its own
cp -r 0.orig/. 0 # not through potentialFoam: on this mesh, made by one rank, simpleFoam diverges from its fields
checkMesh -constant >log 2>&1
grep --max-count 1 'cells:' log >&2
rm -rf log 0.orig constant/triSurface constant/extendedFeatureEdgeMesh constant/polyMesh/sets system/*Mesh*
