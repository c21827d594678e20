#!/usr/bin/env bash
# Installs what building images without a Docker daemon needs. Does nothing where a daemon answers.
#
# Usage: hack/setup/images.sh
set -euo pipefail

if command -v docker >/dev/null && docker info >/dev/null 2>&1; then
  exit 0
fi
exec "$(dirname "$0")/packages.sh" buildah debootstrap ca-certificates
