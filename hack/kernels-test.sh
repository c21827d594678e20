#!/usr/bin/env bash
# Builds and runs the tests of the programs in the folder $1, unless they have passed here before, from the same files and with the same tools: Go keeps
# results of its tests in the same way. AGAIN=1 runs them all the same. CCACHE_* and the arguments of CMake ($2...) are the caller's.
set -euo pipefail
cd "$(dirname "$0")/.."
build="${1:?usage: hack/kernels-test.sh BUILD-FOLDER CMAKE-ARGUMENT...}"
shift
cache="${XDG_CACHE_HOME:-$HOME/.cache}/assay/kernels-tested"
key="$({ find kernels test/testdata/outputs hack/kernels-test.sh -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum
         g++ --version; mpirun --version; nproc; uname -rm; echo "$@"; } | sha256sum | cut -c1-16)"
if [[ -z "${AGAIN:-}" && -e "$cache/$key" ]]; then
  echo "The tests of the programs have passed before, on $(<"$cache/$key"), from the same files (AGAIN=1 runs them again)"
  exit
fi
hack/step.sh kernels "Compiling the CPU programs and the tests of all programs" bash -ec 'cmake "$@"; cmake --build "$0"' "$build" "$@"
hack/step.sh kernels-test "Testing the programs" ctest --test-dir "$build" --output-on-failure --parallel "$(nproc)"
mkdir -p "$cache"
date +%F >"$cache/$key"
