#!/usr/bin/env bash
# Fetches the sources of the HPC Challenge suite, which hold HPL, from the Debian mirror that this machine uses, and prints the folder
# they are unpacked in. Debian has no package of HPL alone, and its hpcc spends minutes on other tests. The checksum is that of Debian's
# signed list of sources; to fetch that list would take fifteen times the bytes.
#
# Usage: hack/setup/hpl-source.sh [FOLDER]     (default: the user's cache; nothing is fetched when it is there)
set -euo pipefail

archive=hpcc_1.5.0.orig.tar.gz
checksum=SHA256:0a6fef7ab9f3347e549fed65ebb98234feea9ee18aea0c8f59baefbe3cf7ffb8
folder="${1:-${XDG_CACHE_HOME:-$HOME/.cache}/assay/hpl-source}"
if [[ ! -e "$folder/hpl/testing/ptest/HPL_pddriver.c" ]]; then
  # The mirror of the main component, whichever file and format it is written in.
  mirror="$(apt-get indextargets --format '$(REPO_URI) $(COMPONENT)' 'Created-By: Packages' | awk '$2 == "main" && !seen++ { print $1 }')"
  [[ -n "$mirror" ]] || { echo "hpl-source.sh: no Debian mirror in apt's sources" >&2; exit 1; }
  mkdir -p "$(dirname "$folder")"
  work="$(mktemp -d "$folder.partial-XXXXXX")" # beside it: the folder appears as a whole, by one rename
  trap 'rm -rf "$work"' EXIT
  PATH="$PATH:/usr/lib/apt" apt-helper -qq -o APT::Sandbox::User=root download-file "${mirror%/}/pool/main/h/hpcc/$archive" "$work/$archive" "$checksum" >&2
  mkdir "$work/unpacked"
  tar -xf "$work/$archive" -C "$work/unpacked" --strip-components 1
  rm -rf "$folder"
  mv -T "$work/unpacked" "$folder"
fi
echo "$folder"
