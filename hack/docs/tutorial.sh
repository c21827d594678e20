#!/usr/bin/env bash
# Runs the commands of docs/tutorial.md in their order, as they stand there. The cluster is removed at the end, whatever happens.
#
# Usage: hack/docs/tutorial.sh, by `make test-tutorial`
set -euo pipefail

cd "$(dirname "$0")/../.."
commands="$(mktemp)"
trap 'rm -f "$commands" first.yaml; bin/clusterctl down --name tutorial >/dev/null' EXIT
awk '/^```sh$/ { on = 1; next } /^```$/ { on = 0 } on' docs/tutorial.md >"$commands"
bash -euo pipefail -x "$commands"
