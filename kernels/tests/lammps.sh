#!/usr/bin/env bash
# Tests of lammps with a stand-in for LAMMPS: what ranks of several nodes report, and that no rank outlives the program.
# Usage: lammps.sh FOLDER-OF-PROGRAMS. Exit code 77 when there is no mpirun.
set -uo pipefail
bin="$1"
cd "$(dirname "$0")/lammps"
command -v mpirun >/dev/null || { echo "no mpirun here"; exit 77; }
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
export PATH="$PWD:$PATH"
touch "$work/in.lj"
lammps=("$bin/lammps" --inputs "$work" --seconds 2)
failures=0

# expect NAME PATTERN...: document.json matches each of them.
expect() {
  local name="$1" pattern
  shift
  for pattern in "$@"; do
    grep -Eq -- "$pattern" "$work/document.json" && continue
    echo "FAIL $name: no /$pattern/ in $(head -c 2000 "$work/document.json")"
    failures=$((failures + 1))
    return
  done
  echo "ok   $name"
}

OMPI_COMM_WORLD_RANK=0 "${lammps[@]}" >"$work/document.json"
expect "each case has a rate of its own over nodes" '"ljRate","unit":"Matom-step/s","better":"higher","parts":\[\{"at":"all","value":6.4,' \
  '"eamRate".*"at":"all"' '"chainRate"' '"rhodopsinRate"' '"atomStepRate".*"at":"lj".*"at":"rhodopsin"'

DEAF="$work/deaf" "${lammps[@]}" --case lj --ranks 2 >"$work/document.json" &
program=$!
until [[ "$(wc -l 2>/dev/null <"$work/deaf")" -eq 2 ]]; do sleep 0.05; done
kill "$program"
wait "$program"
code=$?
left="$(while read -r rank; do kill -0 "$rank" 2>/dev/null && echo "$rank"; done <"$work/deaf")"
expect "after SIGTERM there is what was measured" '"atomStepRate"' '"finished","ok":false'
if [[ $code -ne 1 || -n "$left" ]]; then
  echo "FAIL after SIGTERM: exit code $code, and of its ranks ran on: ${left:-none}"
  failures=$((failures + 1))
else
  echo "ok   no rank outlives it"
fi
exit $((failures > 0))
