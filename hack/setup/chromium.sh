#!/usr/bin/env bash
# Installs the browser in which the HTML report is tested, and a font that has its signs.
#
# Usage: hack/setup/chromium.sh
set -euo pipefail

for browser in chromium chromium-browser google-chrome; do
  if command -v "$browser" >/dev/null; then exit 0; fi
done
exec "$(dirname "$0")/packages.sh" chromium fonts-dejavu-core
