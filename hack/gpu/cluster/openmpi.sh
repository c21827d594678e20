#!/usr/bin/env bash
# Builds an Open MPI that takes buffers in GPU memory from the sources of Debian's package, which does not, and packs it as a tar.
#
# Usage: hack/gpu/cluster/openmpi.sh OUT.tar
set -euo pipefail
cd "$(dirname "$0")/../../.."
out="${1:?usage: hack/gpu/cluster/openmpi.sh OUT.tar}"
prefix=/opt/openmpi-cuda
cache="${ASSAY_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/assay}/openmpi-cuda-4.1.4"
mkdir -p "$(dirname "$cache")"
exec 9>"$cache.lock"
flock 9

fetch() {
  local mirror suite apt=(-o Dir::Etc::SourceParts=/dev/null -o "Dir::Etc::SourceList=$1/sources.list" -o "Dir::State::Lists=$1/lists"
    -o APT::Sandbox::User=root)
  # The mirror of the main component that this machine uses.
  read -r mirror suite < <(apt-get indextargets --format '$(REPO_URI) $(CODENAME) $(COMPONENT)' 'Created-By: Packages' |
    awk '$3 == "main" && $2 !~ /-/ { print $1, $2; exit }') || true
  [[ -n "${mirror:-}" ]] || { echo "openmpi.sh: no Debian mirror in apt's sources" >&2; exit 1; }
  mkdir -p "$1/lists/partial"
  echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main" >"$1/sources.list"
  (cd "$1" && apt-get -qq "${apt[@]}" update && apt-get -qq "${apt[@]}" --tar-only --download-only source openmpi=4.1.4-3)
  tar -C "$1" -xf "$1"/openmpi_4.1.4.orig.tar.xz
}

build() {
  local work cuda
  cuda="$(realpath "$(hack/gpu/setup-cuda.sh)")" work="$(mktemp -d)"
  fetch "$work"
  cd "$work"/openmpi-*/
  # GNU time stamps decide whether autotools run again; there are none here.
  find . -exec touch -d @0 {} +
  ./configure --prefix="$prefix" --with-cuda="$cuda" --enable-mpi-fortran=no --disable-oshmem --disable-man-pages --disable-static \
    --with-hwloc=internal --with-libevent=internal --with-pmix=internal --without-ucx --without-ofi --without-verbs --without-psm2
  make -j"$(nproc)"
  make install DESTDIR="$cache.partial"
  rm -rf "$work" "$cache.partial$prefix"/{include,share/man}
  strip --strip-unneeded "$cache.partial$prefix"/{bin/*,lib/*.so,lib/openmpi/*.so} 2>/dev/null || true
}

if [[ ! -d "$cache" ]]; then
  rm -rf "$cache.partial"
  (build) >&2
  mv "$cache.partial" "$cache"
fi
tar -C "$cache" --numeric-owner --owner=0 --group=0 -cf "$out" ./opt
