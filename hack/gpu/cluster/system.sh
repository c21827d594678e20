#!/usr/bin/env bash
# Copies the system's programs that a local cluster needs (hack/setup/cluster.sh) with their libraries into a folder, for a machine where
# nothing can be installed. The C library's own parts stay here: those of the other machine must be as new.
#
# Usage: hack/gpu/cluster/system.sh FOLDER
set -euo pipefail
to="${1:?usage: hack/gpu/cluster/system.sh FOLDER}"
PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin"

# copy FILE...: with the links that lead to it, under the same path.
copy() {
  local file target
  for file; do
    while [[ -L "$file" ]]; do
      target="$(readlink "$file")"
      [[ "$target" == /* ]] || target="$(dirname "$file")/$target"
      install -d "$to$(dirname "$file")"
      cp -an "$file" "$to$file"
      file="$(realpath -s "$target")"
    done
    install -d "$to$(dirname "$file")"
    cp -an "$file" "$to$file"
  done
}

libraries() { ldd "$@" 2>/dev/null | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' | sort -u | grep -vE '/lib(c|m|dl|rt|pthread|resolv)\.so|/ld-linux'; }

programs=()
for name in runc iptables iptables-save iptables-restore ip6tables ip6tables-save ip6tables-restore ip tc conntrack modprobe socat; do
  programs+=("$(command -v "$name")")
done
for folder in /usr/lib/cni /opt/cni/bin /usr/libexec/cni; do
  [[ ! -x "$folder/bridge" ]] || { copy "$folder"/{bridge,host-local,loopback,portmap}; break; }
done
copy "${programs[@]}" /usr/lib/*/xtables/*
mapfile -t needed < <(libraries "${programs[@]}")
copy "${needed[@]}"
