#!/usr/bin/env bash
# Tests of stencil and stencil-mpi on this machine: they measure and verify, find a flipped bit, and exchange rows with their neighbours.
# Usage: stencil.sh FOLDER-OF-PROGRAMS. Exit code 77 when there is no mpirun.
set -uo pipefail
bin="$1"
failures=0
command -v mpirun >/dev/null || { echo "no mpirun here"; exit 77; }
# Ranks that wait leave the cores to others: a machine may have fewer of them.
run=(mpirun --allow-run-as-root --oversubscribe --mca mpi_yield_when_idle 1 --mca btl self,vader --mca plm isolated)
small=(--nx 64 --nz 16 --rows 16 --seconds 0.05)

# expect NAME EXIT-CODE PATTERN COMMAND...: the command ends with that code, and its stdout is one line that matches.
expect() {
  local name="$1" code="$2" pattern="$3" output got
  shift 3
  output="$("$@" 2>/dev/null)"
  got=$?
  if [[ $got -eq $code && $(wc -l <<<"$output") -eq 1 ]] && grep -Eq "$pattern" <<<"$output"; then
    echo "ok   $name"
  else
    echo "FAIL $name: exit code $got, wanted $code and one line with /$pattern/ in: ${output:0:2000}"
    failures=$((failures + 1))
  fi
}

verified='"name":"verification","ok":true'
expect "one process" 0 "\"cellSteps\".*\"at\":\"node\".*$verified" "$bin/stencil" "${small[@]}"
expect "one process in double precision" 0 "$verified" "$bin/stencil" "${small[@]}" --precision fp64
expect "one process finds a flipped bit" 1 '"verification","ok":false,"message":"[^"]+' "$bin/stencil" "${small[@]}" --inject-bitflip
expect "three ranks" 0 "\"at\":\"all\".*\"at\":\"rank2\".*$verified" "${run[@]}" -n 3 "$bin/stencil-mpi" "${small[@]}"
expect "two ranks find a flipped bit" 1 '"verification","ok":false,"message":"[^"]+' "${run[@]}" -n 2 "$bin/stencil-mpi" "${small[@]}" --inject-bitflip
exit $((failures > 0))
