#!/usr/bin/env bash
# Builds everything that a release has into FOLDER, from what is committed. The same commit gives the same bytes, but for the images of
# the benchmark programs, whose Debian packages are those of the day.
#
# Usage: hack/release/build.sh VERSION FOLDER, by `make release VERSION=v0.1.0`, which builds the tools that it needs
# Environment: RELEASE_REGISTRY  where the images will be (default: ghcr.io/assay-dev/assay)
#              RELEASE_IMAGES    images to build (default: manager runner bench-cpu bench-cuda bench-gromacs bench-gromacs-gpu bench-host bench-lammps bench-lammps-gpu bench-openfoam bench-openmm bench-train)
#              RELEASE_PLATFORMS platforms of the plugin (default: Linux, macOS and Windows, each amd64 and arm64)
#              ASSAY_HELM, ASSAY_KUBECTL   these programs
#              COSIGN_KEY        a private key of cosign's: sign the checksums with it (ASSAY_COSIGN: that program)
#              RELEASE_DIRTY=1   build although there are changes that are not committed
set -euo pipefail

cd "$(dirname "$0")/../.."
source hack/release/parts.sh
version="${1:?usage: hack/release/build.sh VERSION FOLDER}" out="${2:?usage: hack/release/build.sh VERSION FOLDER}"
registry="${RELEASE_REGISTRY:-ghcr.io/assay-dev/assay}"
read -ra platforms <<<"${RELEASE_PLATFORMS:-linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64}"
read -ra images <<<"${RELEASE_IMAGES:-manager runner bench-cpu bench-cuda bench-gromacs bench-gromacs-gpu bench-host bench-lammps bench-lammps-gpu bench-openfoam bench-openmm bench-train}"

if [[ ! $version =~ ^v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.]+)?$ ]]; then
  echo "release: VERSION is '$version', want a semantic version such as v0.1.0 or v0.1.0-rc.1" >&2
  exit 2
fi
if [[ -z ${RELEASE_DIRTY:-} && -n "$(git status --porcelain)" ]]; then
  echo "release: there are changes that are not committed; commit them, or set RELEASE_DIRTY=1 for a trial" >&2
  git status --short | head >&2
  exit 1
fi
needs
SOURCE_DATE_EPOCH="$(git log -1 --format=%ct)"
export SOURCE_DATE_EPOCH CGO_ENABLED=0

rm -rf "$out"
mkdir -p "$out"
out="$(cd "$out" && pwd)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

for platform in "${platforms[@]}"; do cli "$platform"; done
krew >"$out/assay.yaml"
: >"$out/images.txt"
for image in "${images[@]}"; do image "$image"; done
crds >"$out/crds.yaml"
install_manifest >"$out/install.yaml"
chart
checksums
sign
echo "Release $version is in $out:"
(cd "$out" && ls -sh1)
