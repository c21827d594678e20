#!/usr/bin/env bash
# Installs what building and testing Assay needs beside Go and is missing; the scripts beside this one install the rest.
#
# Usage: hack/setup/base.sh
set -euo pipefail

exec "$(dirname "$0")/packages.sh" ca-certificates curl git gcc g++ make cmake pkg-config python3 python3-venv
