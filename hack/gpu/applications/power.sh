#!/usr/bin/env bash
# Tries power on this machine: about 70 s. Nothing carried.
#
#   rest          10 s of a node at rest: watts of each GPU, whatever else is told; a second time, for the scatter
#   held, busy    a process that holds a GPU, and one that loads it, must be told: check `undisturbed`
#   settle        how soon the GPUs are at rest after a load: before the first measurement, and before the last one
#   stop          SIGTERM leaves what was read by then
# Run by hack/gpu/applications.sh, or with the same environment: bin (with ../tools/neighbour beside it), out and gpus.
set -uo pipefail
cd "$(dirname "$0")/../../.."
: "${bin:?}" "${out:?}" "${gpus:?}"
out="$out/power"
mkdir -p "$out"
failures=0

# expect NAME EXIT-CODE PATTERN SECONDS COMMAND...: the document is kept in $out/NAME.json, what it says on stderr beside it.
expect() {
  local name="$1" code="$2" pattern="$3" limit="$4" got start=$SECONDS
  shift 4
  timeout --kill-after 10 "$limit" "$@" >"$out/$name.json" 2>"$out/$name.log"
  got=$?
  if [[ $got -eq $code ]] && grep -Eq "$pattern" "$out/$name.json"; then
    echo "ok    $name ($((SECONDS - start)) s) $(brief "$out/$name.json")"
    return
  fi
  failures=$((failures + 1))
  echo "FAIL  $name ($((SECONDS - start)) s): exit code $got, wanted $code and /$pattern/"
  echo "      $*"
  head -c 1500 "$out/$name.json"
  tail -5 "$out/$name.log" | sed 's/^/      /'
}

brief() {
  python3 - "$1" <<'PYTHON'
import json, sys
document = json.load(open(sys.argv[1]))
said = [f"{name} {value}" for name, value in document.get("parameters", {}).items()]
for measurement in document.get("measurements", []):
    values = " ".join(f"{part['value']:g}" for part in measurement["parts"])
    said.append(f"{measurement['name']} {values} W ({max(part['spread'] for part in measurement['parts']):.2%})")
said += [f"{check['name']}: {check.get('message', '')}" for check in document.get("checks", []) if not check["ok"]]
print("; ".join(said + document.get("notes", [])))
PYTHON
}

# beside NAME PATTERN NEIGHBOUR-OPTIONS...: power for 5 s beside a neighbour on the last GPU, which must be told.
beside() {
  local name="$1" pattern="$2" pid
  shift 2
  "$bin/../tools/neighbour" --gpu $((gpus - 1)) --seconds 60 "$@" >"$out/neighbour.ready" 2>&1 &
  pid=$!
  for _ in {1..100}; do grep -q ready "$out/neighbour.ready" && break; sleep 0.1; done
  expect "$name" 1 "$pattern" 30 "$bin/power" --seconds 5
  kill "$pid" 2>/dev/null
  wait "$pid" 2>/dev/null
}

# Clocks fall some time after a load has gone.
settle() {
  local start=$SECONDS
  for _ in {1..15}; do
    timeout 10 "$bin/power" --seconds 2 >"$out/settle.json" 2>"$out/settle.log" && break
  done
  echo "      at rest after $((SECONDS - start)) s"
}

at_rest='"gpuIdlePower".*"undisturbed","ok":true'
settle
expect rest 0 "$at_rest" 30 "$bin/power" --seconds 10
expect again 0 "$at_rest" 30 "$bin/power" --seconds 10
beside held '"undisturbed","ok":false,"message":"gpu'$((gpus - 1)) --duty 0
beside busy '"undisturbed","ok":false,"message":"gpu'$((gpus - 1)) --load compute --duty 0.9
settle
expect after 0 "$at_rest" 30 "$bin/power" --seconds 10
expect stop 1 '"gpuIdlePower".*"finished","ok":false' 30 timeout --preserve-status --signal TERM 4 "$bin/power" --seconds 30
((failures == 0))
