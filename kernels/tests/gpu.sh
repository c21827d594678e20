#!/usr/bin/env bash
# Tests of the GPU programs on a machine with GPUs: each measures and verifies, finds a damaged buffer, and says why when it
# cannot run. Usage: gpu.sh FOLDER-OF-PROGRAMS. Exit code 77 when there is no GPU. ctest runs it under the label "gpu".
set -uo pipefail
bin="$1"
failures=0

# expect NAME EXIT-CODE PATTERN COMMAND...: the command ends with that code and its document matches.
expect() {
  local name="$1" code="$2" pattern="$3" output got
  shift 3
  output="$("$@" 2>/dev/null)"
  got=$?
  if [[ $got -eq $code ]] && grep -Eq "$pattern" <<<"$output"; then
    echo "ok   $name"
  else
    echo "FAIL $name: exit code $got, wanted $code and /$pattern/ in: ${output:0:2000}"
    failures=$((failures + 1))
  fi
}

intact='"name":"dataIntegrity","ok":true'
damaged='"name":"dataIntegrity","ok":false,"message":"'
short=(--bytes $((256 << 20)) --precisions fp64 --budget-seconds 0.02)

"$bin/gpustream" --bytes $((16 << 20)) >/dev/null 2>&1
if [[ $? -eq 77 ]]; then echo "no GPU here"; exit 77; fi
gpus="$(nvidia-smi -L | wc -l)"

expect "no GPU at all" 77 '"skipped":"no usable GPU' env CUDA_VISIBLE_DEVICES= "$bin/hostlink"
if ((EUID == 0)) && unshare --mount mount --bind /dev/null /dev/nvidiactl 2>/dev/null; then
  # shellcheck disable=SC2016  # for the inner shell
  expect "GPUs that nobody may open" 1 '"name":"devicesUsable","ok":false,"message":"no GPU can be used, and this container was given some' \
    unshare --mount sh -c 'mount --bind /dev/null /dev/nvidiactl && exec "$0"' "$bin/hostlink"
fi
expect "bad usage" 2 '^$' "$bin/p2p" --bytes none
expect "a list with an empty entry" 2 '^$' "$bin/collectives" --sizes 8,,16
expect "inventory" 0 "\"value\":$gpus.0.*\"name\":\"vbios\",\"at\":\"gpu$((gpus - 1))\"" "$bin/inventory"
expect "gpustream" 0 "$intact" "$bin/gpustream" --bytes $((256 << 20))
expect "gpustream finds damage" 1 "$damaged" "$bin/gpustream" --bytes $((64 << 20)) --inject-bitflip
expect "hostlink" 0 "$intact" "$bin/hostlink" --bytes $((32 << 20))
expect "hostlink finds damage" 1 "$damaged" "$bin/hostlink" --bytes $((32 << 20)) --inject-bitflip
expect "gemm" 0 "$intact" "$bin/gemm" --n 4096 --seconds 0.2
expect "gemm with the fastest algorithm" 0 "$intact" "$bin/gemm" --n 4096 --seconds 0.2 --library lt
expect "gemm names its algorithm" 0 '"bf16Algorithm":"(cuBLAS|Lt[0-9]+/[0-9]+/[0-9]+/[0-9]+)"' "$bin/gemm" --n 4096 --seconds 0.2 --precisions bf16
expect "gemm finds damage" 1 "$damaged" "$bin/gemm" --n 2048 --seconds 0.2 --inject-bitflip
for program in nbody montecarlo reduction scan md burn spectral stencil-gpu pic; do
  case "$program" in
    nbody) small="--bodies 16384 --seconds 0.05" ;;
    montecarlo) small="--options 256 --rounds 4 --seconds 0.05" ;;
    md) small="--bands 2 --seconds 0.05" ;;
    spectral) small="--edge 16 --layers 16 --seconds 0.05" ;;
    stencil-gpu) small="--nx 128 --nz 32 --rows 64 --seconds 0.05" ;;
    pic) small="--edge 32 --per-cell 64 --seconds 0.05" ;;
    burn) small="--seconds 1 --n 2048 --memory-fraction 0.05" ;;
    *) small="--bytes $((65 << 20)) --seconds 0.05" ;;
  esac
  # shellcheck disable=SC2086  # options, to be split
  expect "$program" 0 "$intact" "$bin/$program" $small
  # shellcheck disable=SC2086
  expect "$program finds damage" 1 "$damaged" "$bin/$program" $small --inject-bitflip
done
passed='"residual","ok":true'
failed='"residual","ok":false'
expect "hpl-gpu" 0 "$passed" "$bin/hpl-gpu" --n 8192
expect "hpl-gpu of an odd order" 0 "$passed" "$bin/hpl-gpu" --n 3001 --nb 96 --strip 1000
expect "hpl-gpu prints Netlib's report" 0 '^WR10R2R16 +8192 +1024 +1 +[0-9]+ ' "$bin/hpl-gpu" --n 8192 --format hpl
expect "hpl-gpu finds damage of the matrix" 1 "$failed" "$bin/hpl-gpu" --n 8192 --inject-bitflip matrix
expect "hpl-gpu finds damage of a panel" 1 "$failed" "$bin/hpl-gpu" --n 8192 --inject-bitflip panel
expect "hpl-gpu with one GPU broadcasts nothing" 77 'broadcasts nothing' "$bin/hpl-gpu" --n 8192 --gpus 1 --inject-bitflip broadcast
expect "hpl-mxp" 0 "$passed" "$bin/hpl-mxp" --n 8192
expect "hpl-mxp of an odd order" 0 "$passed" "$bin/hpl-mxp" --n 5001 --nb 512
expect "hpl-mxp finds damage" 1 "$failed" "$bin/hpl-mxp" --n 8192 --inject-bitflip
few=(--message-bytes $((64 << 20)) --n 2048 --seconds 0.3)
expect "gpuquick" 0 "$intact" "$bin/gpuquick" "${few[@]}"
expect "gpuquick finds damage" 1 "$damaged" "$bin/gpuquick" "${few[@]}" --inject-bitflip
expect "gpuquick with one GPU" 0 '"reachablePeers".*"value":0.0' "$bin/gpuquick" "${few[@]}" --gpus 1
expect "p2p with one GPU" 77 '"skipped":"needs at least two' "$bin/p2p" --gpus 1
expect "collectives with one GPU" 77 '"skipped":"needs at least two' "$bin/collectives" --gpus 1
if ((gpus > 1)); then
  sizes=8,1048576,67108864
  expect "p2p" 0 "$intact" "$bin/p2p" --bytes $((64 << 20))
  expect "p2p finds damage" 1 "$damaged" "$bin/p2p" --bytes $((64 << 20)) --inject-bitflip
  expect "p2p with launches" 0 '"copyLaunchedLatency"' "$bin/p2p" --bytes $((64 << 20)) --modes latency
  expect "p2p of two GPUs" 0 '"at":"gpu1->gpu0"' "$bin/p2p" --bytes $((64 << 20)) --gpus 2
  expect "collectives" 0 "$intact" "$bin/collectives" --sizes "$sizes"
  expect "collectives as a ring" 0 'allReduceRingBusBandwidth' "$bin/collectives" --sizes "$sizes" --ring
  expect "collectives in place" 0 'allGatherInPlaceBusBandwidth.*"dataIntegrity","ok":true' \
    "$bin/collectives" --sizes "$sizes" --placements in
  expect "collectives in place finds damage" 1 "$damaged" "$bin/collectives" --sizes "$sizes" --placements in --inject-bitflip
  expect "collectives finds damage" 1 "$damaged" "$bin/collectives" --sizes "$sizes" --inject-bitflip
  expect "hpl-gpu finds damage of a broadcast" 1 "$damaged" "$bin/hpl-gpu" --n 8192 --inject-bitflip broadcast
  if [[ -x "$bin/hpl-gpu-mpi" ]] && command -v mpirun >/dev/null; then
    expect "hpl-gpu over MPI" 0 '"processes":2.*"residual","ok":true' mpirun --allow-run-as-root --oversubscribe -n 2 "$bin/hpl-gpu-mpi" --n 8192
    expect "hpl-gpu over MPI finds damage of a broadcast" 1 "$damaged" \
      mpirun --allow-run-as-root --oversubscribe -n 2 "$bin/hpl-gpu-mpi" --n 8192 --inject-bitflip broadcast
  fi
  if [[ -x "$bin/collectives-mpi" ]] && command -v mpirun >/dev/null; then
    expect "collectives over MPI" 0 '"processes":2.*"dataIntegrity","ok":true' \
      mpirun --allow-run-as-root --oversubscribe -n 2 "$bin/collectives-mpi" --sizes "$sizes"
    expect "collectives over MPI find damage" 1 '"dataIntegrity","ok":false.*"otherProcesses","ok":false' \
      mpirun --allow-run-as-root --oversubscribe -n 2 "$bin/collectives-mpi" --sizes 8,1048576 --inject-bitflip
    expect "collectives over MPI, one GPU for two ranks" 77 '"skipped":"rank 0: 2 ranks share' \
      env CUDA_VISIBLE_DEVICES=0 mpirun --allow-run-as-root --oversubscribe -n 2 "$bin/collectives-mpi" --sizes 8
    expect "collectives over MPI, one rank without a GPU" 77 '"skipped":"rank 1: no usable GPU' \
      mpirun --allow-run-as-root --oversubscribe -n 1 "$bin/collectives-mpi" : -n 1 -x CUDA_VISIBLE_DEVICES= "$bin/collectives-mpi"
  fi
fi
if [[ -x "$bin/mpibench" ]] && command -v mpirun >/dev/null; then
  messages=(mpirun --allow-run-as-root --oversubscribe -n 2 "$bin/mpibench" --seconds 0.5 --buffers cuda)
  if ((gpus > 1)) && [[ "$("${messages[@]}" --modes barrier 2>/dev/null)" != *"not CUDA-aware"* ]]; then
    expect "mpibench in GPU memory" 0 "$intact" "${messages[@]}"
    expect "mpibench in GPU memory finds damage" 1 "$damaged" "${messages[@]}" --inject-bitflip
    expect "mpibench over a transport that takes no GPU memory" 1 '"completed","ok":false,"message":"MPI died' \
      mpirun --allow-run-as-root --oversubscribe --mca pml ob1 --mca btl self,vader -n 2 "$bin/mpibench" --buffers cuda
    expect "mpibench, one GPU for two ranks" 77 '"skipped":"rank 0: 2 ranks share a GPU' env CUDA_VISIBLE_DEVICES=0 "${messages[@]}"
  else
    expect "mpibench where MPI takes no GPU memory" 77 '"skipped":"rank 0: ' "${messages[@]}"
  fi
fi
expect "more GPUs than there are" 1 'asks for more GPUs than are visible' "$bin/gpustream" --gpus 64
expect "blocking launches" 0 'CUDA_LAUNCH_BLOCKING is set and was ignored' env CUDA_LAUNCH_BLOCKING=1 "$bin/gpustream" "${short[@]}"
expect "a GPU that is not there" 0 'names 2 GPUs, CUDA shows 1' env CUDA_VISIBLE_DEVICES=0,63 "$bin/gpustream" "${short[@]}"
if ((gpus > 1)); then
  expect "GPUs in another order" 0 'gpu0 has the lowest PCI address' env CUDA_VISIBLE_DEVICES=1,0 "$bin/gpustream" "${short[@]}"
fi
expect "burn for half a second" 0 '"at":"gpu0@0.1s".*"comparable","ok":true' "$bin/burn" --seconds 0.5 --n 2048 --memory-fraction 0.05
stopped="$(timeout --preserve-status --signal TERM 0.6 "$bin/burn" --seconds 60 --n 2048 2>/dev/null)"
complaints="$(grep -o '"name":"[a-zA-Z]*","ok":false' <<<"$stopped")"
if [[ "$complaints" == '"name":"finished","ok":false' ]]; then
  echo "ok   an early SIGTERM blames only the stop"
else
  echo "FAIL an early SIGTERM blames only the stop: ${stopped:0:2000}"
  failures=$((failures + 1))
fi
expect "SIGTERM leaves a document" 1 '"dataIntegrity","ok":true.*"finished","ok":false,"message":"stopped by SIGTERM' \
  timeout --preserve-status --signal TERM 3 "$bin/burn" --seconds 60 --n 2048 --memory-fraction 0.05
expect "SIGTERM tells how far hpl-gpu came" 1 '"finished","ok":false.*stopped after [0-9]+ % of the operations' \
  timeout --preserve-status --signal TERM 10 "$bin/hpl-gpu" --seconds 60
neighbours="$(dirname "$0")/neighbours.sh"
"$neighbours" "$bin" || failures=$((failures + 1))
((failures == 0)) || { echo "$failures tests failed"; exit 1; }
