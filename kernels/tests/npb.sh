#!/usr/bin/env bash
# Tests of npb with several processes on this machine: each kernel gives the published values of class S on 1, 2 and 4 ranks, finds a
# flipped bit, and says so when it cannot run or is told to end. Usage: npb.sh FOLDER-OF-PROGRAMS. Exit code 77 when there is no mpirun.
set -uo pipefail
program="$1/npb"
failures=0
checks=()
command -v mpirun >/dev/null || { echo "no mpirun here"; exit 77; }
# Ranks that wait leave the cores to others: a machine may have fewer of them.
run=(mpirun --allow-run-as-root --oversubscribe --mca mpi_yield_when_idle 1 --mca btl self,vader --mca plm isolated)

# expect NAME EXIT-CODE PATTERN RANKS OPTIONS...: npb ends with that code, and its stdout is one line that matches.
check() {
  local name="$1" code="$2" pattern="$3" ranks="$4" output got
  shift 4
  output="$("${run[@]}" -n "$ranks" "$program" "$@" 2>/dev/null)"
  got=$?
  if [[ $got -eq $code && $(wc -l <<<"$output") -eq 1 ]] && grep -Eq "$pattern" <<<"$output"; then
    echo "ok   $name"
  else
    echo "FAIL $name: exit code $got, wanted $code and one line with /$pattern/ in: ${output:0:2000}"
    return 1
  fi
}

# A start and an end of mpirun are a second of waiting, and no speed is checked here: a few run at a time.
at_once=4
expect() {
  while (($(jobs -pr | wc -l) >= at_once)); do wait -n; done
  check "$@" &
  checks+=($!)
}

# Told to end as soon as it says that it began; it must say so in its document.
expect_stopped() {
  local folder output
  folder="$(mktemp -d)"
  "${run[@]}" -n 2 "$program" --kernel ft --class S --runs 1000 >"$folder/out" 2> >(
    grep -m 1 "ft class S on 2 ranks" >"$folder/began"
    cat >/dev/null
  ) &
  local started=$!
  until [[ -s "$folder/began" ]]; do kill -0 "$started" 2>/dev/null || break; done
  kill -TERM "$started" 2>/dev/null
  wait "$started"
  output="$(cat "$folder/out")"
  rm -r "$folder"
  if grep -Eq '"name":"finished","ok":false,"message":"stopped' <<<"$output"; then
    echo "ok   told to end"
  else
    echo "FAIL told to end: its document should say so: ${output:0:2000}"
    failures=$((failures + 1))
  fi
}

rate='"name":"operationRate","unit":"Mop/s","better":"higher","parts":\[\{"at":"all","value":[0-9.]+'
for kernel in cg mg is ft; do
  for ranks in 1 2 4; do
    expect "$kernel on $ranks" 0 "$rate.*\"verification\",\"ok\":true" "$ranks" --kernel "$kernel" --class S
  done
  expect "$kernel finds a flipped bit" 1 '"verification","ok":false,"message":"[^"]+' 2 --kernel "$kernel" --class S --inject-bitflip
done
expect "several runs" 0 '"operationRate"[^]]*"samples":3' 2 --kernel is --class S --runs 3
expect "no power of two" 0 '"ranks":2.*"verification","ok":true.*1 of 3 ranks do nothing' 3 --kernel mg --class S
expect "bad usage" 2 '^$' 1 --kernel lu
for check in "${checks[@]}"; do wait "$check" || failures=$((failures + 1)); done
expect_stopped
exit $((failures > 0))
