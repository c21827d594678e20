#!/usr/bin/env bash
# Says in one line when this machine has less memory or disk than building and running a cluster takes, before minutes have passed.
#
# Usage: hack/setup/machine.sh
# Environment: ASSAY_CACHE  folder of what is built once (default: the user's cache)
set -euo pipefail

want_memory=6 want_disk=15 # GB
meminfo="${MEMINFO:-/proc/meminfo}"

# What df says of the nearest folder that is there.
free_below() {
  local folder="$1"
  while [[ ! -d "$folder" ]]; do folder="$(dirname "$folder")"; done
  df --output=avail -B 1000000000 "$folder" | tail -1 | tr -d ' '
}

short=()
memory="$(awk '$1 == "MemAvailable:" { printf "%.1f", $2 * 1024 / 1e9 }' "$meminfo")"
awk -v have="$memory" -v want="$want_memory" 'BEGIN { exit !(have < want) }' && short+=("$memory GB of memory are free, of $want_memory GB that compiling Kubernetes takes")
cache="${ASSAY_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/assay}"
built=no
compgen -G "$cache/localcluster/set-*/complete" >/dev/null && built=yes
seen=''
for folder in "$cache" "${GOCACHE:-$HOME/.cache/go-build}" /var/lib/assay-cluster; do
  disk="$(free_below "$folder")"
  if [[ $built == no && "$disk" -lt "$want_disk" && "$seen" != *" $disk "* ]]; then
    short+=("$disk GB are free below $folder, of $want_disk GB that everything together takes")
    seen+=" $disk "
  fi
done
((${#short[@]} == 0)) || (IFS=';'; echo "This machine may be too small: ${short[*]}. It is tried all the same." | sed 's/;/; /g' >&2)
