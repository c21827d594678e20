#!/usr/bin/env bash
# Tries power on this machine: about 70 s. Nothing carried.
#
#   rest          10 s of a node at rest: watts of each GPU, whatever else is told; a second time, for the scatter
#   held, busy    a process that holds a GPU, and one that loads it, must be told: check `undisturbed`
#   settle        how soon the GPUs are at rest after a load: before the first measurement, and before the last one
#   stop          SIGTERM leaves what was read by then
# Run by hack/gpu/applications.sh, or with the same environment: bin (with ../tools/neighbour beside it), out and gpus.
set -uo pipefail
cd "$(dirname "$0")/../../.." || exit
: "${bin:?}" "${out:?}" "${gpus:?}"
out="$out/power"
mkdir -p "$out"
. hack/gpu/applications/lib/expect.sh
# shellcheck disable=SC2034  # read by expect
also=('*' notes)
last=$((gpus - 1))

# Clocks fall some time after a load has gone.
settle() {
  local start=$SECONDS
  for _ in {1..15}; do
    timeout 10 "$bin/power" --seconds 2 >"$out/settle.json" 2>"$out/settle.log" && break
  done
  echo "      at rest after $((SECONDS - start)) s"
}

at_rest='"gpuIdlePower".*"undisturbed","ok":true'
settle
expect rest 0 "$at_rest" 30 "" "$bin/power" --seconds 10
expect again 0 "$at_rest" 30 "" "$bin/power" --seconds 10
beside held "gpu$last" "$last" "--duty 0" "$bin/power" --seconds 5
beside busy "gpu$last" "$last" "--load compute --duty 0.9" "$bin/power" --seconds 5
settle
expect after 0 "$at_rest" 30 "" "$bin/power" --seconds 10
expect stop 1 '"gpuIdlePower".*"finished","ok":false' 30 "" timeout --preserve-status --signal TERM 4 "$bin/power" --seconds 30
((failures == 0))
