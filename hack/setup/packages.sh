#!/usr/bin/env bash
# Installs those of the given Debian packages that are missing. Does nothing where all are there; needs root only otherwise.
#
# Usage: hack/setup/packages.sh PACKAGE...
set -euo pipefail

exec 9<"$0" # one at a time: so is apt
flock 9
missing=()
for package in "$@"; do
  status="$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null || true)"
  [[ "$status" == installed ]] || missing+=("$package")
done
[[ ${#missing[@]} -gt 0 ]] || exit 0

if ! command -v apt-get >/dev/null || [[ $EUID -ne 0 ]]; then
  echo "as root, install these packages (Debian's names): ${missing[*]}" >&2
  exit 1
fi
export DEBIAN_FRONTEND=noninteractive
step="$(dirname "$0")/../step.sh"
"$step" package-lists "Fetching Debian's lists of packages" apt-get update
"$step" "packages-${missing[0]}" "Installing Debian packages (${#missing[@]} are missing)" \
  apt-get install --yes --no-install-recommends "${missing[@]}"
