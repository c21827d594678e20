#!/usr/bin/env bash
# Tries and times the proxies spectral, stencil-gpu and pic on this machine's GPUs: every way to compute them, sizes, scaling over 1, 2 ... GPUs,
# flipped bits, one process per GPU, and the end by a signal; beside gpustream's copy rate. At most 150 s: what would begin later is skipped. Needs:
# our programs in $bin, python3, NCCL; mpirun for three cases, which are skipped without it. hack/gpu/applications.sh runs it.
set -uo pipefail
: "${bin:?}" "${out:?}" "${gpus:?}"
out="$out/proxies"
mkdir -p "$out"
failures=0
last_start=138  # seconds

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
    if name.startswith(("waveError", "energyDrift", "momentumDrift", "errorOfBound", "powerW", "smClockMHz", "memoryClockMHz")):
        words.append(f"{name}={value}")
words += [check["name"] + ": " + check.get("message", "") for check in document.get("checks") or [] if not check["ok"]]
print("; ".join(words))
PYTHON
}

# expect NAME EXIT-CODE PATTERN SECONDS COMMAND...: the document is kept in $out/NAME.json, what it says on stderr beside it.
expect() {
  local name="$1" code="$2" pattern="$3" limit="$4" got start=$SECONDS
  shift 4
  if ((start > last_start)); then
    echo "skip  $name: no time left"
    return
  fi
  ((start + limit <= last_start + 12)) || limit=$((last_start + 12 - start))
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

# Every way to compute a step, in both precisions.
variants() {
  local way
  for way in columns shallow nodes; do
    expect "spectral-$way" 0 "$intact" 30 "$bin/spectral" --method "$way" --seconds 0.5
  done
  for way in 32 16 0; do
    expect "stencil-$way" 0 "$intact" 30 "$bin/stencil-gpu" --tiles "$way" --seconds 0.5
  done
  for way in cells markers; do
    expect "pic-$way" 0 "$intact" 30 "$bin/pic" --method "$way" --seconds 0.5
  done
  for way in columns shallow; do
    expect "spectral-fp64-$way" 0 "$intact" 30 "$bin/spectral" --method "$way" --precision fp64 --gpus 1 --seconds 0.3
  done
  for way in 32 16; do
    expect "stencil-fp64-$way" 0 "$intact" 30 "$bin/stencil-gpu" --tiles "$way" --precision fp64 --rows 256 --gpus 1 --seconds 0.3
  done
}

shapes() {
  expect spectral-odd 0 "$intact" 30 "$bin/spectral" --edge 11 --layers 9 --seconds 0.1
  expect stencil-odd 0 "$intact" 30 "$bin/stencil-gpu" --nx 333 --nz 17 --rows 101 --seconds 0.1
  expect stencil-partial 0 "$intact" 30 "$bin/stencil-gpu" --nx 332 --nz 17 --rows 101 --seconds 0.1
}

sizes() {
  expect pic-128 0 "$intact" 30 "$bin/pic" --edge 128 --per-cell 8 --gpus 1 --seconds 0.3
  expect spectral-40-layers 0 "$intact" 30 "$bin/spectral" --layers 40 --gpus 1 --seconds 0.3
  expect pic-32 0 '"particleSteps"' 30 "$bin/pic" --edge 32 --per-cell 256 --gpus 1 --seconds 0.3
}

# What each kernel of a step takes and where its limit is, by Nsight Compute where that can read the counters.
profile() {
  local ncu program launches kernels
  ncu="$(command -v ncu || find /opt/nvidia /usr/local -name ncu -type f 2>/dev/null | head -1)"
  if [[ -z "$ncu" ]]; then
    echo "skip  profiles: no ncu here"
    return
  fi
  for kernels in "pic 8" "spectral 2" "stencil-gpu 3"; do
    read -r program launches <<<"$kernels"
    ((SECONDS <= last_start)) || { echo "skip  profile-$program: no time left"; continue; }
    timeout --kill-after 5 15 "$ncu" --clock-control none --kill yes --launch-skip 160 --launch-count "$launches" --log-file "$out/profile-$program.txt" \
      --metrics "gpu__time_duration.sum,dram__bytes.sum,dram__throughput.avg.pct_of_peak_sustained_elapsed,lts__throughput.avg.pct_of_peak_sustained_elapsed,l1tex__throughput.avg.pct_of_peak_sustained_elapsed,sm__inst_executed.avg.per_cycle_elapsed,sm__warps_active.avg.pct_of_peak_sustained_active" \
      "$bin/$program" --gpus 1 --seconds 0.01 >/dev/null 2>&1
    grep -E 'time_duration|Error' "$out/profile-$program.txt" | tr -s ' ' | sed "s/^/      $program/" | head -9
  done
}

bitflips() {
  expect pic-bitflip 1 "$damaged" 30 "$bin/pic" --seconds 0.1 --inject-bitflip
  expect stencil-bitflip 1 "$damaged" 30 "$bin/stencil-gpu" --rows 64 --seconds 0.1 --inject-bitflip
  expect spectral-bitflip 1 "$damaged" 30 "$bin/spectral" --seconds 0.1 --inject-bitflip
  expect spectral-stop 1 '"finished","ok":false' 30 timeout --preserve-status --signal TERM 5 "$bin/spectral" --seconds 60
}

mpi() {
  if ! command -v mpirun >/dev/null; then
    echo "skip  one process per GPU: no mpirun here"
    return
  fi
  local run=(mpirun --allow-run-as-root --oversubscribe --bind-to none -n "$gpus")
  expect spectral-mpi 0 "$intact" 30 "${run[@]}" "$bin/spectral-mpi" --seconds 0.5
  expect stencil-mpi 0 "$intact" 30 "${run[@]}" "$bin/stencil-gpu-mpi" --seconds 0.5
  expect pic-mpi 0 "$intact" 30 "${run[@]}" "$bin/pic-mpi" --seconds 0.5
}

find_libraries "$bin/spectral" || exit
expect copy 0 "$intact" 30 "$bin/gpustream" --precisions fp64
variants
shapes
mpi
bitflips
profile
sizes
((failures == 0)) || { echo "$failures failed"; exit 1; }
