#!/usr/bin/env bash
# Runs the commands of docs/tutorial.md in their order, as they stand there, and looks for what the page promises. The cluster is removed at the end, whatever happens.
#
# Usage: hack/docs/tutorial.sh, by `make test-tutorial`
set -euo pipefail

cd "$(dirname "$0")/../.."
commands="$(mktemp)" said="$(mktemp)"
trap 'rm -f "$commands" "$said" first.yaml; bin/clusterctl down --name tutorial >/dev/null' EXIT
awk '/^```sh$/ { on = 1; next } /^```$/ { on = 0 } on' docs/tutorial.md >"$commands"
bash -euo pipefail -x "$commands" | tee "$said"
for expected in 'exit code 1' '"key":"assay.dev/unfit"' 'passed its gate'; do
  grep -qF -- "$expected" "$said" || { echo "tutorial: nothing says '$expected', as the page promises" >&2; exit 1; }
done
