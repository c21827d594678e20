#!/usr/bin/env bash
# Tests of npb with several processes on this machine: each kernel gives the published values of class S on 1, 2 and 4 ranks, finds a
# flipped bit, and says so when it cannot run or is told to end. Usage: npb.sh FOLDER-OF-PROGRAMS. Exit code 77 when there is no mpirun.
set -uo pipefail
program="$1/npb"
. "$(dirname "$0")/ranks.sh"

# npb RANKS OPTIONS...
npb() {
  local ranks="$1"
  shift
  "${run[@]}" -n "$ranks" "$program" "$@"
}

rate='"name":"operationRate","unit":"Mop/s","better":"higher","parts":\[\{"at":"all","value":[0-9.]+'
for kernel in cg mg is ft; do
  for ranks in 1 2 4; do
    expect "$kernel on $ranks" 0 "$rate.*\"verification\",\"ok\":true" npb "$ranks" --kernel "$kernel" --class S
  done
  expect "$kernel finds a flipped bit" 1 '"verification","ok":false,"message":"[^"]+' npb 2 --kernel "$kernel" --class S --inject-bitflip
done
expect "several runs" 0 '"operationRate"[^]]*"samples":3' npb 2 --kernel is --class S --runs 3
expect "no power of two" 0 '"ranks":2.*"verification","ok":true.*1 of 3 ranks do nothing' npb 3 --kernel mg --class S
expect "more ranks than the class can use" 0 '"ranks":32.*"verification","ok":true.*32 of 64 ranks do nothing' npb 64 --kernel ft --class W
expect "bad usage" 2 '^$' npb 1 --kernel lu
expect "SIGTERM leaves a document" 1 '"name":"finished","ok":false,"message":"stopped' \
  stopped_by TERM "ft class S on 2 ranks" "${run[@]}" -n 2 "$program" --kernel ft --class S --runs 1000
finish
