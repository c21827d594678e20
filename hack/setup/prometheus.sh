#!/usr/bin/env bash
# Unpacks Prometheus and promtool of Debian's package into a folder. The package is not installed: that would start a server.
#
# Usage: hack/setup/prometheus.sh FOLDER     (nothing is fetched when they are there)
set -euo pipefail

folder="$1"
if [[ -x "$folder/prometheus" && -x "$folder/promtool" ]]; then
  exit 0
fi
if ! command -v apt-get >/dev/null; then
  echo "prometheus.sh: this machine has no apt: put the programs prometheus and promtool into $folder" >&2
  exit 77
fi
mkdir -p "$(dirname "$folder")"
work="$(mktemp -d "$folder.partial-XXXXXX")" # beside it: the folder appears as a whole, by one rename
trap 'rm -rf "$work"' EXIT
download() { (cd "$work" && apt-get -qq -o APT::Sandbox::User=root download prometheus); }
if ! download 2>/dev/null; then
  apt-get -qq update # where no package was ever installed, there are no lists
  download
fi
dpkg-deb -x "$work"/prometheus_*.deb "$work/unpacked"
rm -rf "$folder"
mv -T "$work/unpacked/usr/bin" "$folder"
