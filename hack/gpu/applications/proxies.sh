#!/usr/bin/env bash
# Tries and times the proxies spectral, stencil-gpu and pic on this machine's GPUs: verification, sizes, scaling over 1, 2 ... GPUs, flipped bits,
# one process per GPU, and the end by a signal; beside gpustream's copy rate. About 90 s with one GPU, 2 minutes with two. Needs: our programs
# in $bin, python3, NCCL; mpirun for two cases, which are skipped without it. hack/gpu/applications.sh runs it.
set -uo pipefail
: "${bin:?}" "${out:?}" "${gpus:?}"
out="$out/proxies"
mkdir -p "$out"
failures=0

# Programs that were compiled elsewhere find no NCCL in the usual places: looks for it where toolkits and Python environments have theirs.
find_libraries() {
  local soname found
  while read -r soname; do
    found="$(find /usr/local/cuda*/ /usr/lib /usr/local/lib /opt -name "$soname" 2>/dev/null | head -1)"
    [[ -n "$found" ]] || { echo "FAIL  this machine has no $soname, which $1 needs"; return 1; }
    export LD_LIBRARY_PATH="${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$(dirname "$found")"
  done < <(ldd "$1" | awk '/not found/ { print $1 }')
}

# What a document says, in one line.
brief() {
  python3 - "$1" <<'PYTHON'
import json, sys
try:
    document = json.load(open(sys.argv[1]))
except (OSError, ValueError):
    sys.exit()
names = ["elementSteps", "cellSteps", "particleSteps", "timePerStep", "scalingEfficiency", "memoryRatePerGpu", "operationRatePerGpu", "hbmCopy"]
words = []
for name in names:
    for each in document.get("measurements") or []:
        if each["name"] == name:
            words.append(name + " " + " ".join(f'{part["at"]}={part["value"]:.5g}' for part in each["parts"]))
for name, value in (document.get("parameters") or {}).items():
    if name.startswith(("waveError", "energyDrift", "momentumDrift", "errorInRoundings", "powerW", "smClockMHz", "memoryClockMHz")):
        words.append(f"{name}={value}")
words += [check["name"] + ": " + check.get("message", "") for check in document.get("checks") or [] if not check["ok"]]
print("; ".join(words))
PYTHON
}

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
  echo "FAIL  $name ($((SECONDS - start)) s): exit code $got, wanted $code and /$pattern/: $*"
  head -c 1500 "$out/$name.json"
  tail -5 "$out/$name.log" | sed 's/^/      /'
}

intact='"dataIntegrity","ok":true'
damaged='"dataIntegrity","ok":false'

spectral() {
  expect spectral 0 "$intact" 60 "$bin/spectral"
  expect spectral-fp64 0 "$intact" 60 "$bin/spectral" --precision fp64 --seconds 0.5
  for layers in 8 40; do
    expect "spectral-$layers-layers" 0 "$intact" 60 "$bin/spectral" --layers "$layers" --gpus 1 --seconds 0.5
  done
  expect spectral-odd 0 "$intact" 60 "$bin/spectral" --edge 11 --layers 9 --seconds 0.1
  expect spectral-bitflip 1 "$damaged" 60 "$bin/spectral" --seconds 0.1 --inject-bitflip
  expect spectral-stop 1 '"finished","ok":false' 60 timeout --preserve-status --signal TERM 5 "$bin/spectral" --seconds 60
}

stencil() {
  expect stencil 0 "$intact" 60 "$bin/stencil-gpu"
  expect stencil-fp64 0 "$intact" 60 "$bin/stencil-gpu" --precision fp64 --rows 128 --seconds 0.5
  expect stencil-128-rows 0 "$intact" 60 "$bin/stencil-gpu" --rows 128 --gpus 1 --seconds 0.5
  expect stencil-odd 0 "$intact" 60 "$bin/stencil-gpu" --nx 333 --nz 17 --rows 101 --seconds 0.1
  expect stencil-bitflip 1 "$damaged" 60 "$bin/stencil-gpu" --rows 64 --seconds 0.1 --inject-bitflip
}

pic() {
  expect pic 0 "$intact" 60 "$bin/pic"
  expect pic-128 0 "$intact" 60 "$bin/pic" --edge 128 --per-cell 8 --gpus 1 --seconds 0.5
  expect pic-32 0 '"particleSteps"' 60 "$bin/pic" --edge 32 --per-cell 256 --gpus 1 --seconds 0.5
  expect pic-bitflip 1 "$damaged" 60 "$bin/pic" --seconds 0.1 --inject-bitflip
}

mpi() {
  if ! command -v mpirun >/dev/null; then
    echo "skip  one process per GPU: no mpirun here"
    return
  fi
  local run=(mpirun --allow-run-as-root --oversubscribe --bind-to none -n "$gpus")
  expect spectral-mpi 0 "$intact" 60 "${run[@]}" "$bin/spectral-mpi"
  expect stencil-mpi 0 "$intact" 60 "${run[@]}" "$bin/stencil-gpu-mpi"
  expect pic-mpi 0 "$intact" 60 "${run[@]}" "$bin/pic-mpi"
  ((gpus > 1)) || return
  expect spectral-mpi-bitflip 1 "$damaged" 60 "${run[@]}" "$bin/spectral-mpi" --seconds 0.1 --inject-bitflip
}

find_libraries "$bin/spectral" || exit
expect copy 0 "$intact" 60 "$bin/gpustream" --precisions fp64
spectral
stencil
pic
mpi
((failures == 0)) || { echo "$failures failed"; exit 1; }
