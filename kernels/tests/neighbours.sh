#!/usr/bin/env bash
# Tests on a machine with GPUs that programs know when somebody else uses a GPU, and never claim it when they are alone.
# Usage: neighbours.sh FOLDER-OF-PROGRAMS. gpu.sh runs it. The folder's neighbour is ../tools/neighbour.
set -uo pipefail
bin="$1"
neighbour="$bin/../tools/neighbour"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
failures=0

# told NAME EXIT-CODE PATTERN FILE GOT: the document in the file, of a program that ended with GOT.
told() {
  if [[ $5 -eq $2 ]] && grep -Eq "$3" "$4"; then
    echo "ok   $1"
  else
    echo "FAIL $1: exit code $5, wanted $2 and /$3/ in: $(head -c 2000 "$4")"
    failures=$((failures + 1))
  fi
}

# expect NAME EXIT-CODE PATTERN COMMAND...
expect() {
  local name="$1" code="$2" pattern="$3"
  shift 3
  "$@" >"$folder/document" 2>/dev/null
  told "$name" "$code" "$pattern" "$folder/document" $?
}

# beside OPTIONS...: starts a neighbour on gpu0 and waits until it is at work. leave: ends it.
beside() {
  mkfifo "$folder/ready"
  "$neighbour" "$@" >"$folder/ready" &
  pid=$!
  read -r _ <"$folder/ready"
  rm "$folder/ready"
  sleep 0.3
}
leave() {
  kill "$pid"
  wait "$pid"
}

stream=("$bin/gpustream" --gpus 1 --precisions fp64)
alone='"comparable","ok":true.*"undisturbed","ok":true'

for repetition in {1..20}; do
  expect "alone, $repetition of 20" 0 "$alone" "${stream[@]}" --budget-seconds 0.05
done

beside --duty 0.05
expect "a neighbour that works 5 % of the time" 1 '"undisturbed","ok":false,"message":"gpu0: neighbour \(pid [0-9]+\) with [0-9]+ MiB kept it busy [1-9]' "${stream[@]}"
expect "the same beside host copies" 1 '"undisturbed","ok":false' "$bin/hostlink" --gpus 1 --modes alone
expect "the same beside all that the quick suite judges" 1 '"undisturbed","ok":false,"message":"gpu0: neighbour' "$bin/gpuquick" --gpus 1
if ((EUID == 0)) && unshare --pid --fork --mount-proc true 2>/dev/null; then
  expect "the same outside the container" 1 '"undisturbed","ok":false,"message":"gpu0: a process outside this container \(pid [0-9]+ on the host\)' \
    unshare --pid --fork --mount-proc "${stream[@]}"
fi
leave

beside --duty 0 --hold-bytes $((1 << 30))
expect "a neighbour that only holds memory" 0 "$alone.*was there and did not use it" "${stream[@]}"
leave

free="$(nvidia-smi --id=0 --query-gpu=memory.free --format=csv,noheader,nounits)"
beside --duty 0 --hold-bytes $(((free - 4096) << 20))
expect "a neighbour that leaves too little memory" 1 '"comparable","ok":false,"message":"gpu0: arrays of [0-9]+ MiB fit, 2048 MiB were wanted: .* neighbour \(pid' "${stream[@]}"
expect "the same beside a long load that tests memory" 1 '"comparable","ok":false,"message":"gpu0: patterns of [0-9]+ MiB fit, .*neighbour \(pid' \
  "$bin/burn" --gpus 1 --precision bf16 --n 2048 --seconds 1
leave

taken='"comparable","ok":false,"message":".*neighbour \(pid'
beside --duty 0 --hold-bytes $(((free - 1200) << 20))
expect "a neighbour that leaves too little to measure" 1 "$taken" "${stream[@]}"
expect "the same beside matrix products" 1 "$taken" "$bin/gemm" --gpus 1 --precisions fp64
expect "the same beside a long load" 1 "$taken" "$bin/burn" --gpus 1 --precision fp64 --seconds 1
if (($(nvidia-smi -L | wc -l) > 1)); then expect "the same beside NCCL" 1 "$taken" "$bin/collectives" --gpus 2; fi
leave
beside --duty 0 --hold-bytes $(((free - 700) << 20))
expect "a neighbour that leaves no room for a context" 1 "$taken" "${stream[@]}"
leave

"${stream[@]}" --budget-seconds 0.2 >"$folder/first" 2>/dev/null &
first=$!
"${stream[@]}" --budget-seconds 0.2 >"$folder/second" 2>/dev/null
told "two at once, one of them" 1 '"undisturbed","ok":false,"message":"gpu0: gpustream' "$folder/second" $?
wait "$first"
told "two at once, the other" 1 '"undisturbed","ok":false,"message":"gpu0: gpustream' "$folder/first" $?

((failures == 0)) || { echo "$failures tests about neighbours failed"; exit 1; }
