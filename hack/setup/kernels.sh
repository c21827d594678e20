#!/usr/bin/env bash
# Installs what building and testing the CPU programs needs. HPL itself needs more: see hpl-source.sh and `--hpl`.
#
# Usage: hack/setup/kernels.sh [--hpl]     (--hpl: also what compiling, running and comparing with hpcc needs)
set -euo pipefail

packages=(g++ ccache cmake ninja-build pkg-config nlohmann-json3-dev libcli11-dev libgtest-dev zlib1g-dev libhwloc-dev libopenblas-openmp-dev
          libopenmpi-dev openmpi-bin)
if [[ "${1:-}" == --hpl ]]; then
  packages+=(hpcc libopenblas0-openmp)
fi
exec "$(dirname "$0")/packages.sh" "${packages[@]}"
