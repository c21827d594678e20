#!/usr/bin/env bash
# Installs the Debian packages that building and testing Assay need and that are missing. Does nothing where all are there.
#
# Usage: hack/setup/base.sh
set -euo pipefail

packages=(ca-certificates curl git gcc g++ make cmake ninja-build pkg-config python3 python3-venv)

missing=()
for package in "${packages[@]}"; do
  dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
done
[[ ${#missing[@]} -gt 0 ]] || exit 0

if ! command -v apt-get >/dev/null; then
  echo "these packages (Debian's names) must be installed: ${missing[*]}" >&2
  exit 1
fi
if [[ $EUID -ne 0 ]]; then
  echo "as root, run: apt-get install ${missing[*]}" >&2
  exit 1
fi
echo "installing ${missing[*]}" >&2
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -qq --yes --no-install-recommends "${missing[@]}" >/dev/null
