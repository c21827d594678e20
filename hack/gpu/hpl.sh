#!/usr/bin/env bash
# Measures hpl-gpu and hpl-mxp on this machine's GPUs, and tries whether they find what is wrong. About 6 minutes with one GPU.
#
# Usage: hack/gpu/hpl.sh [--bin DIR] [--out DIR] [--gpus N] [--sizes N,N...] [--repetitions N] [PIECE...]
#   --bin DIR         use the programs in DIR (and ../tools/neighbour) instead of building them
#   --out DIR         where documents and logs go (default: build/hpl)
#   --gpus N          use the first N GPUs (default: all)
#   --sizes LIST      orders of piece `table`; 0 fills the memory (default: 16384,32768,65536,0)
#   --repetitions N   of each order (default: 5)
#
#   check       small problems of odd shapes, on one GPU and on all: residuals                   20 s
#   reference   x of N = 4096 beside that of Netlib's xhpl                                        10 s
#   faults      a flipped bit in the matrix, a panel and a broadcast must be found                20 s
#   stop        SIGTERM: how far it came                                                          10 s
#   table       N against TFLOP/s per GPU, with phases and spread                                  5 min
#   neighbour   a GPU that somebody else uses is named                                            20 s
#   mpi         one process per GPU beside threads                                                30 s
#   mxp         hpl-mxp: rate, iterations, a flipped bit                                           1 min
# All pieces by default, in this order. `xhpl`, alone, computes what `reference` needs on a machine with MPI and OpenBLAS (no GPU).
# Every command has a limit of time; a failed piece does not keep the next from running. Needs: bash, python3, nvidia-smi.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit
here=hack/gpu

bin="" out=build/hpl gpus="" sizes=16384,32768,65536,0 repetitions=5 pieces=()
while (($# > 0)); do
  case "$1" in
    --bin) bin="$2"; shift 2 ;;
    --out) out="$2"; shift 2 ;;
    --gpus) gpus="$2"; shift 2 ;;
    --sizes) sizes="$2"; shift 2 ;;
    --repetitions) repetitions="$2"; shift 2 ;;
    -*) echo "unknown option $1" >&2; exit 2 ;;
    *) pieces+=("$1"); shift ;;
  esac
done
[[ ${#pieces[@]} -gt 0 ]] || pieces=(check reference faults stop table neighbour mpi mxp)
mkdir -p "$out"
solution="build/hpl-reference-4096.f64"
. hack/gpu/applications/lib/expect.sh
show() { python3 $here/hpl.py brief "$1"; }

build() {
  local capability cuda
  capability="$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | sort -u | tr -d . | paste -sd ';')"
  cuda="$($here/setup-cuda.sh)" || return
  cmake -S kernels -B build/kernels-cuda -DASSAY_CUDA=ON -DASSAY_CPU=OFF -DASSAY_TESTS=OFF -DCMAKE_CUDA_COMPILER="$cuda/bin/nvcc" \
    -DCMAKE_CUDA_ARCHITECTURES="$capability-real" >"$out/build.log" 2>&1 &&
    cmake --build build/kernels-cuda --parallel "$(nproc)" --target hpl-gpu hpl-gpu-mpi hpl-mxp neighbour >>"$out/build.log" 2>&1
}

passed='"residual","ok":true'

check() {
  local on shape n nb base
  for on in 1 "$gpus"; do
    for shape in 64:32:16 300:64:16 1000:96:8 1000:128:2 8192:640:16 4096:1024:16 20000:512:16; do
      IFS=: read -r n nb base <<<"$shape"
      expect "check-$on-$n-$nb-$base" 0 "$passed" 60 "" "$bin/hpl-gpu" --gpus "$on" --n "$n" --nb "$nb" --base "$base"
    done
    ((gpus > 1)) || break
  done
}

# Written by `hpl.sh xhpl`.
reference() {
  if [[ ! -e "$solution" ]]; then
    echo "skip  reference: $solution is missing; hack/gpu/hpl.sh xhpl makes it on a machine with MPI and OpenBLAS"
    return
  fi
  expect reference 0 "$passed" 60 "" "$bin/hpl-gpu" --n 4096 --nb 512 --solution "$out/solution.f64"
  python3 $here/hpl.py compare "$solution" "$out/solution.f64" || failures=$((failures + 1))
}

xhpl() {
  local source openblas
  openblas="/usr/lib/$(gcc -print-multiarch)/openblas-openmp"
  source="$(hack/setup/hpl-source.sh)/hpl" || return
  # shellcheck disable=SC2046  # a list of files
  mpicc -w -O2 -DHPL_NO_MPI_DATATYPE -DHPL_CALL_CBLAS -DOMPI_SKIP_MPICXX -I"$source/include" -I"/usr/include/$(gcc -print-multiarch)/openblas-openmp" \
    kernels/tests/hplgpu/netlib.c $(find "$source"/{src,testing} -name '*.c') -L"$openblas" -Wl,-rpath,"$openblas" -lopenblas -lm -o "$out/netlib" &&
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "$out/netlib" 4096 128 >"$solution" && ls -l "$solution"
}

faults() {
  expect fault-matrix 1 '"residual","ok":false' 60 "" "$bin/hpl-gpu" --n 8192 --inject-bitflip matrix
  expect fault-panel 1 '"residual","ok":false' 60 "" "$bin/hpl-gpu" --n 8192 --inject-bitflip panel
  if ((gpus > 1)); then
    expect fault-broadcast 1 '"dataIntegrity","ok":false' 60 "" "$bin/hpl-gpu" --n 8192 --inject-bitflip broadcast
  else
    expect fault-broadcast 77 'a single GPU broadcasts nothing' 60 "" "$bin/hpl-gpu" --n 8192 --inject-bitflip broadcast
  fi
}

stop() {
  expect stop 1 '"finished","ok":false.*stopped after [0-9]+ % of the operations' 60 "" \
    timeout --preserve-status --signal TERM 12 "$bin/hpl-gpu" --seconds 60
}

table() {
  local n
  for n in ${sizes//,/ }; do
    expect "table-$gpus-$n" 0 "$passed" 400 "" "$bin/hpl-gpu" --n "$n" --repetitions "$repetitions"
  done
  expect "table-$gpus-nb512" 0 "$passed" 60 "" "$bin/hpl-gpu" --n 65536 --nb 512
  expect "table-$gpus-format" 0 '^WR10R2R.*' 60 "" "$bin/hpl-gpu" --n 16384 --format hpl
  python3 $here/hpl.py table "$out"/table-"$gpus"-*.json
}

neighbour() {
  beside neighbour "gpu$((gpus - 1))" $((gpus - 1)) "--load compute --duty 0.5" "$bin/hpl-gpu" --n 49152
  grep -o '"[^"]*the others wait for it"' "$out/neighbour.json"
}

mpi() {
  if [[ ! -x "$bin/hpl-gpu-mpi" ]] || ! command -v mpirun >/dev/null; then
    echo "skip  mpi: no mpirun here, or hpl-gpu-mpi was built without MPI"
    return
  fi
  expect "mpi-threads" 0 "$passed" 120 "" "$bin/hpl-gpu" --n 65536 --repetitions 3
  expect "mpi-processes" 0 "$passed" 120 "" mpirun --allow-run-as-root --oversubscribe --bind-to none -n "$gpus" "$bin/hpl-gpu-mpi" \
    --n 65536 --repetitions 3
  python3 $here/hpl.py ratio "$out/mpi-processes.json" "$out/mpi-threads.json"
}

mxp() {
  expect mxp-check 0 "$passed" 60 "" "$bin/hpl-mxp" --n 8192
  expect mxp-odd 0 "$passed" 60 "" "$bin/hpl-mxp" --n 10000 --nb 512
  expect mxp-fault 1 '"residual","ok":false' 60 "" "$bin/hpl-mxp" --n 8192 --inject-bitflip
  expect mxp-65536 0 "$passed" 60 "" "$bin/hpl-mxp" --n 65536 --repetitions "$repetitions"
  expect mxp-full 0 "$passed" 200 "" "$bin/hpl-mxp" --repetitions "$repetitions"
}

if [[ "${pieces[*]}" == xhpl ]]; then
  xhpl
  exit
fi
if [[ -n "$gpus" ]]; then
  CUDA_VISIBLE_DEVICES="$(seq -s , 0 $((gpus - 1)))"
  export CUDA_VISIBLE_DEVICES
else
  gpus="$(nvidia-smi -L | wc -l)"
fi
if [[ -z "$bin" ]]; then
  build || { echo "building failed:" >&2; tail -20 "$out/build.log" >&2; exit 1; }
  bin=build/kernels-cuda/bin
fi
find_libraries "$bin/hpl-gpu" || exit
nvidia-smi --query-gpu=index,name,driver_version,clocks.sm,temperature.gpu,memory.used --format=csv,noheader
for piece in "${pieces[@]}"; do
  started=$SECONDS
  echo "--- $piece"
  "$piece"
  echo "--- $piece took $((SECONDS - started)) s"
done
((failures == 0)) || { echo "$failures failed"; exit 1; }
