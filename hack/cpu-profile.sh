#!/usr/bin/env bash
# Prints a HardwareProfile with the floating-point peak of this machine's processor, for nodes with the given label. Prints
# nothing where the processor is not one whose FLOP per cycle is known.
#
# Usage: hack/cpu-profile.sh NAME LABEL=VALUE
set -euo pipefail

name="${1:?usage: hack/cpu-profile.sh NAME LABEL=VALUE}" label="${2:?usage: hack/cpu-profile.sh NAME LABEL=VALUE}"

field() { awk -F': *' -v key="$1" '{ sub(/[ \t]+$/, "", $1) } $1 == key { print $2; exit }' /proc/cpuinfo; }

# FP64 operations per cycle and core: two units, each with a multiplication and an addition per element.
flop_per_cycle() {
  local flags vendor family
  flags=" $(field flags) " vendor="$(field vendor_id)" family="$(field 'cpu family')"
  if [[ "$flags" == *' avx512f '* && ("$vendor" == GenuineIntel || "${family:-0}" -ge 26) ]]; then
    echo "32 two AVX-512 units"
  elif [[ "$flags" == *' avx2 '* && "$flags" == *' fma '* ]]; then
    echo "16 two AVX2 units"
  fi
}

# The nominal clock, in MHz: what the time-stamp counter runs at.
nominal_mhz() { awk -F': *' '/^bogomips/ { printf "%.0f", $2 / 2; exit }' /proc/cpuinfo; }

read -r flop units < <(flop_per_cycle) || true
mhz="$(nominal_mhz)"
[[ -n "${flop:-}" && "${mhz:-0}" -gt 0 ]] || exit 0
cores="$(lscpu --parse=core,socket | grep -v '^#' | sort -u | wc -l)"
per_socket="$((cores / $(lscpu --parse=socket | grep -v '^#' | sort -u | wc -l)))"

peak() { awk -v cores="$1" -v flop="$flop" -v mhz="$mhz" 'BEGIN { printf "%.1f", cores * flop * mhz / 1000 }'; }

cat <<YAML
apiVersion: assay.dev/v1alpha1
kind: HardwareProfile
metadata:
  name: $name
spec:
  selector:
    matchLabels: {"${label%%=*}": "${label#*=}"}
  peaks:
  - {name: cpuFp64, at: node, unit: GFLOP/s, value: "$(peak "$cores")", source: "$cores cores x $flop FLOP per cycle ($units) x $mhz MHz, the nominal clock"}
  - {name: cpuFp64, at: socket, unit: GFLOP/s, value: "$(peak "$per_socket")", source: "$per_socket cores x $flop FLOP per cycle ($units) x $mhz MHz, the nominal clock"}
YAML
