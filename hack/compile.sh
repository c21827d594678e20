#!/usr/bin/env bash
# Runs `go build`, and prints how many packages are compiled of how many that are not in the cache.
#
# Usage: hack/compile.sh FLAG... -- PACKAGE...
set -euo pipefail

flags=()
while [[ $1 != -- ]]; do flags+=("$1"); shift; done
shift
todo="$(go list -deps -f '{{if .Stale}}{{.StaleReason}}{{end}}' "$@" | grep -cv -e '^$' -e '^not installed but available in build cache$' || true)"
# A line without a space is the name of a package that is compiled.
go build -v "${flags[@]}" "$@" 2>&1 | awk -v todo="$todo" '
  NF == 1 {done++; print done " of " (todo < done ? done : todo) " packages"; fflush(); next}
  {print; fflush()}'
