#!/usr/bin/env bash
# Pushes an image that hack/images/build.sh built to a registry, as it is in its archive.
#
# Usage: hack/images/push.sh ARCHIVE REFERENCE     (ASSAY_CRANE: that program; it takes the passwords of docker login)
set -euo pipefail

archive="${1:?}" reference="${2:?usage: hack/images/push.sh ARCHIVE REFERENCE}"
if ! tar -tf "$archive" manifest.json >/dev/null 2>&1; then # not Docker's, which crane takes as it is: a folder is OCI's
  layout="$(mktemp -d)"
  trap 'rm -rf "$layout"' EXIT
  tar -xf "$archive" -C "$layout"
  archive="$layout"
fi
"$ASSAY_CRANE" push "$archive" "$reference"
