#!/usr/bin/env bash
# Builds a release once more, from a fresh clone of what is committed, and says which files are not the same, byte by byte. The images
# of the benchmark programs come from the cache where it has them, so that they prove nothing here.
#
# Usage: hack/release/again.sh VERSION FOLDER, by `make release-again`. FOLDER is what build.sh has made; the environment as there.
set -euo pipefail

cd "$(dirname "$0")/../.."
version="${1:?usage: hack/release/again.sh VERSION FOLDER}" first="$(cd "${2:?usage: hack/release/again.sh VERSION FOLDER}" && pwd)"
[[ -e $first/SHA256SUMS ]] || { echo "release: $first has no release: run make release first" >&2; exit 2; }
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
git clone --quiet --no-hardlinks . "$work/clone"
COSIGN_KEY='' "$work/clone/hack/release/build.sh" "$version" "$work/second" >/dev/null
if ! diff "$first/SHA256SUMS" "$work/second/SHA256SUMS"; then
  echo "release: built again, these files differ" >&2
  exit 1
fi
echo "$(wc -l <"$first/SHA256SUMS") files of release $version are the same, built again in a fresh clone"
