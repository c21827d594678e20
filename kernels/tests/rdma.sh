#!/usr/bin/env bash
# Tests of rdma with two processes on this machine and a stand-in for perftest. Usage: rdma.sh FOLDER-OF-PROGRAMS FOLDER-OF-THE-STAND-IN.
# Exit code 77 when there is no mpirun.
set -uo pipefail
program="$1/rdma" stand_in="$(realpath "$2")" failures=0
command -v mpirun >/dev/null || { echo "no mpirun here"; exit 77; }
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
device() { # host, device, state, port
  mkdir -p "$folder/$1/$2/ports/${4:-1}" "$folder/verbs-$1/uverbs-$2" "$folder/nodes-$1"
  echo "$3" >"$folder/$1/$2/ports/${4:-1}/state"
  echo "$2" >"$folder/verbs-$1/uverbs-$2/ibdev"
  touch "$folder/nodes-$1/uverbs-$2"
}
device a mlx5_0 "4: ACTIVE"
device a mlx5_1 "4: ACTIVE"
device a mlx5_2 "1: DOWN"
device b mlx5_0 "4: ACTIVE"
device b mlx5_1 "4: ACTIVE"
device b mlx5_2 "4: ACTIVE"
device c mlx5_2 "4: ACTIVE"
device d mlx5_0 "4: ACTIVE"
device d mlx5_1 "4: ACTIVE"
device e mlx4_0 "4: ACTIVE"
device e mlx4_0 "4: ACTIVE" 2
device f mlx5_0 "4: ACTIVE"
device f mlx5_1 "4: ACTIVE"
rm "$folder/nodes-f/uverbs-mlx5_0"
device g mlx5_0 "4: ACTIVE"
rm "$folder/nodes-g/uverbs-mlx5_0"
device h mlx5_0 "4: ACTIVE"
rm "$folder/nodes-h/uverbs-mlx5_0"
device h mlx5_1 "1: DOWN"
mkdir "$folder/none" "$folder/bare"
run=(mpirun --allow-run-as-root --oversubscribe --mca mpi_yield_when_idle 1 --mca btl self,vader --mca plm isolated)

of() { echo "--devices $folder/$1 --verbs $folder/verbs-$1 --nodes $folder/nodes-$1"; }

# check NAME EXIT-CODE PATTERN LINES HOST HOST PATH: rdma between two hosts' devices ends with that code; so many lines of its output match, or more.
check() {
  local name="$1" code="$2" pattern="$3" lines="$4" output got printed
  printed="$(mktemp -p "$folder")"
  # A folder of its own for each: an mpirun that ends removes the one that all share, also while another sets its session up there.
  mkdir "$printed.d"
  output="$( (TMPDIR="$printed.d" PATH="$7:$PATH" timeout 120 "${run[@]}" -n 1 "$program" --interface lo $(of "$5") ${rails:+--rails "$rails"} : \
    -n 1 "$program" --interface lo $(of "$6") ${rails:+--rails "$rails"} >"$printed") 2>&1)"
  got=$?
  output+=$'\n'"$(<"$printed")"
  if [[ $got -ne 0 && $(wc -l <"$printed") -ne 1 ]]; then
    echo "FAIL $name: exit code $got, and not the one line of a document on stdout, in: ${output:0:4000}"
    return 1
  fi
  if [[ $got -eq $code && $(grep -Ec "$pattern" <<<"$output") -ge $lines ]]; then
    echo "ok   $name"
  else
    echo "FAIL $name: exit code $got, wanted $code and $lines lines with /$pattern/ in: ${output:0:4000}"
    return 1
  fi
}

# A start and an end of mpirun are a second of waiting, and no speed is checked here.
checks=()
expect() {
  check "$@" &
  checks+=($!)
}

expect "every rail that both have" 0 "Device         : mlx5_[01]$|^ 1048576    20000 " 4 a d "$stand_in"
expect "a rail that is down on one host" 1 "Device         : mlx5_[01]$|\"completed\",\"ok\":false.*measurable on the other host: mlx5_2 port 1 of " 3 a b "$stand_in"
rails=mlx5_0,mlx5_1 expect "rails that are named" 0 "Device         : mlx5_[01]$" 2 a b "$stand_in"
rails=mlx5_2 expect "a rail that is named and down" 1 "the RDMA device mlx5_2 has no active port" 1 a b "$stand_in"
expect "two ports of a device" 0 "^Port: 2$|Device         : mlx4_0$" 3 e e "$stand_in"
expect "no rail in common" 77 '"skipped":".*no active RDMA port of the same name' 1 a c "$stand_in"
expect "a device that is not mounted" 0 "Device         : mlx5_1$|not mounted in .*, so not measured: mlx5_0 port 1$" 3 f f "$stand_in"
expect "no device that is mounted" 77 '"skipped":".*can be opened here: not mounted in .*: mlx5_0 port 1"' 1 f g "$stand_in"
expect "the only mounted device is down on one host" 1 '"completed","ok":false.*measurable on the other host: mlx5_0 port 1 of .*mlx5_1 port 1 of ' 1 a h "$stand_in"
expect "the only mounted device is down on both hosts" 77 '"skipped":".*no RDMA device of this host has an active port' 1 h h "$stand_in"
expect "no device" 77 '"skipped":".*no RDMA device of (this|the other) host has an active port' 1 a none "$stand_in"
FAKE_FAILS=mlx5_0 expect "a client that fails, and the rail behind it" 1 "Device         : mlx5_1$|\"completed\",\"ok\":false,\"message\":\"rank 1: ib_write_bw on mlx5_0 port 1 ended with exit code 1\"" 2 a d "$stand_in"
FAKE_DEAF=mlx5_0 expect "a server that ends at once, and a rail that is down" 1 "Device         : mlx5_1$|\"message\":\"rank 0: ib_write_bw on mlx5_0 port 1 ended with exit code 1; not active" 2 a b "$stand_in"
command -v ib_write_bw >/dev/null || expect "no perftest" 77 '"skipped":".*ib_write_bw is not installed' 1 a b "$folder/bare"
for one in "${checks[@]}"; do wait "$one" || failures=$((failures + 1)); done
exit $((failures > 0))
