#!/usr/bin/env bash
# Builds an image, unless it is there already, and copies the files under some of its folders into one here, with their paths.
#
# Usage: hack/images/files.sh IMAGE FOLDER PATH...     (paths in the image, without a leading slash)
set -euo pipefail

(($# >= 3)) || { echo "usage: hack/images/files.sh IMAGE FOLDER PATH..." >&2; exit 2; }
image="$1" name="localhost/assay/$1:dev" folder="$(mkdir -p "$2" && cd "$2" && pwd)"
shift 2
cd "$(dirname "$0")/../.."
hack/setup/images.sh
hack/images/build.sh "$image" >/dev/null
if command -v docker >/dev/null && docker info >/dev/null 2>&1; then
  container="$(docker create "$name" true)"
  trap 'docker rm "$container" >/dev/null' EXIT
  docker export "$container" | tar -C "$folder" -xf - "$@"
else
  container="$(buildah from --pull-never "$name")"
  trap 'buildah rm "$container" >/dev/null' EXIT
  tar -C "$(buildah mount "$container")" -cf - "$@" | tar -C "$folder" -xf -
fi
