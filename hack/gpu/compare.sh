#!/usr/bin/env bash
# Compares what our GPU programs measured on a machine with what other tools measured there.
#
# Usage: hack/gpu/compare.sh [--parts] OURS... FORMAT=FILE...
#   OURS         documents of our programs, or recordings of hack/record.sh or hack/gpu/run.sh; gzipped or not
#   FORMAT=FILE  output of another tool: NVBandwidth=, NCCLTests=, BabelStream=, GPUBurn= or Assay=
#   --parts      a row for each GPU, pair and size, instead of the medians
# Builds and runs none of the tools. Needs Go.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
exec go run "$here/compare" "$@"
