#!/usr/bin/env bash
# Tests of stencil and stencil-mpi on this machine: they measure and verify, find a flipped bit, and exchange rows with their neighbours.
# Usage: stencil.sh FOLDER-OF-PROGRAMS. Exit code 77 when there is no mpirun.
set -uo pipefail
bin="$1"
. "$(dirname "$0")/ranks.sh"
export OMP_WAIT_POLICY=passive  # threads that wait leave the cores to others, too
small=(--nx 64 --nz 16 --rows 16 --seconds 0.05)

verified='"name":"verification","ok":true'
expect "one process" 0 "\"cellSteps\".*\"at\":\"node\".*$verified" "$bin/stencil" "${small[@]}"
expect "one process in double precision" 0 "$verified" "$bin/stencil" "${small[@]}" --precision fp64
expect "one process finds a flipped bit" 1 '"verification","ok":false,"message":"[^"]+' "$bin/stencil" "${small[@]}" --inject-bitflip
for program in stencil stencil-mpi; do
  expect "$program is too large for the machine" 77 '"skipped":"[^"]*rows need [0-9]+ MiB' "$bin/$program" --nx 16384 --nz 1024 --rows 65536
done
expect "three ranks" 0 "\"at\":\"all\".*\"at\":\"rank2\".*$verified" "${run[@]}" -n 3 "$bin/stencil-mpi" "${small[@]}"
expect "two ranks find a flipped bit" 1 '"verification","ok":false,"message":"[^"]+' "${run[@]}" -n 2 "$bin/stencil-mpi" "${small[@]}" --inject-bitflip
finish
