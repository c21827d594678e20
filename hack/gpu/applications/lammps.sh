#!/usr/bin/env bash
# LAMMPS with its GPU package on this machine's GPUs: every case verified by LAMMPS' own logs in mixed precision; 16 million Lennard-Jones
# atoms with 8 ranks and with 16 on one GPU, and with 16 on each; rhodopsin on all; and what a SIGTERM leaves.
# 100 s with one GPU, 140 s with two (estimates).
#
# Needs $carried/lammps/lammps.tar.xz (made by hack/gpu/applications/build/lammps.sh), mpirun, python3, xz. Environment: carried, out, gpus.
set -uo pipefail
cd "$(dirname "$0")/../../.."
. hack/gpu/applications/lib/expect.sh

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
tar -xJf "$carried/lammps/lammps.tar.xz" -C "$work" || exit 1
# Of the libraries that came along, only those that this machine lacks.
mkdir "$work/use"
for soname in $(ldd "$work/bin/lmp" "$work/bin/lammps" | awk '/not found/ { print $1 }' | sort -u); do
  [[ ! -e "$work/lib/$soname" ]] || cp "$work/lib/$soname" "$work/use/"
done
export PATH="$work/bin:$PATH" LD_LIBRARY_PATH="$work/use${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
find_libraries "$work/bin/lmp" && find_libraries "$work/bin/lammps" || exit 1
command -v mpirun >/dev/null || { echo "FAIL  lammps: there is no mpirun here"; exit 1; }
figures=(atomStepRate atomStepRatePerWatt stepRate energyDeviation=0:0.012 pairShare communicationShare)

# simulate NAME CASE SCALE SECONDS GPUS RANKS (0: the program's choice)
simulate() {
  expect "$1" 0 '"energies","ok":true' 90 "${figures[*]}" \
    "$work/bin/lammps" --on gpus --inputs "$work/bench" --case "$2" --scale "$3" --seconds "$4" --gpus "$5" --ranks "$6"
}

simulate lammps-all-1 all 4 2 1 0
simulate lammps-lj-16m-1-ranks-8 lj 8 2 1 8
simulate lammps-lj-16m-1-ranks-16 lj 8 3 1 16
if ((gpus > 1)); then
  simulate "lammps-lj-16m-$gpus-ranks-16-each" lj 8 3 "$gpus" $((16 * gpus))
  simulate "lammps-rhodopsin-256k-$gpus" rhodopsin 4 3 "$gpus" 0
  scaling lammps-lj-16m-1-ranks-16 "lammps-lj-16m-$gpus-ranks-16-each" atomStepRate
fi
expect lammps-stop 1 '"finished","ok":false' 40 energyDeviation \
  timeout --foreground --preserve-status --signal TERM 10 "$work/bin/lammps" --on gpus --inputs "$work/bench" --case lj --scale 2 --seconds 120 --gpus 1 --ranks 8
! pgrep -x 'lmp|mpirun' >/dev/null || { echo "FAIL  lammps: what it started still runs"; failures=$((failures + 1)); }
((failures == 0))
