#!/usr/bin/env bash
# Fetches the sources of the HPC Challenge suite, which hold HPL, through apt (signed, from the mirror this machine uses) and
# prints the folder they are unpacked in. Debian has no package of HPL alone, and its hpcc spends minutes on other tests.
#
# Usage: hack/setup/hpl-source.sh [FOLDER]     (default: the user's cache; nothing is fetched when it is there)
set -euo pipefail

folder="${1:-${XDG_CACHE_HOME:-$HOME/.cache}/assay/hpl-source}"
if [[ ! -e "$folder/hpl/testing/ptest/HPL_pddriver.c" ]]; then
  work="$(mktemp -d)"
  trap 'rm -rf "$work"' EXIT
  mkdir -p "$work"/{parts,lists/partial,unpacked}
  # The mirror of the main component, whichever file and format it is written in.
  read -r mirror suite < <(apt-get indextargets --format '$(REPO_URI) $(CODENAME) $(COMPONENT)' 'Created-By: Packages' |
    awk '$3 == "main" && $2 !~ /-/ { print $1, $2; exit }') || true
  [[ -n "${mirror:-}" ]] || { echo "hpl-source.sh: no Debian mirror in apt's sources" >&2; exit 1; }
  echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main" >"$work/parts/source.list"
  apt=(apt-get -qq -o Dir::Etc::SourceList=/dev/null -o "Dir::Etc::SourceParts=$work/parts"
       -o "Dir::State::Lists=$work/lists" -o APT::Sandbox::User=root)
  "${apt[@]}" update >&2
  (cd "$work" && "${apt[@]}" source --tar-only --download-only hpcc >&2)
  tar -xf "$work"/hpcc_*.orig.tar.* -C "$work/unpacked" --strip-components 1
  mkdir -p "$(dirname "$folder")"
  rm -rf "$folder"
  mv "$work/unpacked" "$folder"
fi
echo "$folder"
