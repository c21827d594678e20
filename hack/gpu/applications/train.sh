#!/usr/bin/env bash
# Tries and measures train on this machine's GPUs: about 150 s with one GPU and with two. Needs: python3 with torch and nvidia-ml-py, both of
# which may be in any Python environment whose python3 comes first; nothing carried.
#
#   one, all      the default on one GPU and on all: rates, scaling, the same gradients
#   flash, batch, compile   variants: attention by flash, half and twice the micro-batch, layers compiled (which needs a C compiler)
#   faults        flipped bits are found, SIGTERM leaves a document; small models, at the same time
# Run by hack/gpu/applications.sh, or with the same environment: out and gpus.
set -uo pipefail
cd "$(dirname "$0")/../../.." || exit
: "${out:?}" "${gpus:?}"
out="$out/train"
mkdir -p "$out"
train=kernels/train/train.py
small=(--layers 2 --sequence 512 --micro-batch 4 --seconds 1)
. hack/gpu/applications/lib/expect.sh
# shellcheck disable=SC2034  # read by expect
also=(microBatch lossFirst lossLast powerW smClockMHz notes facts)

fact() { grep -o '"gradientChecksum","value":"[0-9a-f]*"' "$out/$1.json"; }

# same NAME NAME: both computed the same gradients from the same weights and tokens.
same() {
  if [[ -n "$(fact "$1")" && "$(fact "$1")" == "$(fact "$2")" ]]; then
    echo "ok    $1 and $2 have the same gradients"
    return
  fi
  echo "FAIL  $1 and $2 have other gradients: $(fact "$1") and $(fact "$2")"
  failures=$((failures + 1))
}

passed='"lossFalls","ok":true'

faults() {
  local pids=() pid
  expect gradient 1 '"repeatable","ok":false,"message":"gpu'$((gpus - 1)) 60 "" python3 "$train" "${small[@]}" --inject-bitflip gradient & pids+=($!)
  if ((gpus > 1)); then
    expect weight 1 '"weightsEqual","ok":false' 60 "" python3 "$train" "${small[@]}" --inject-bitflip weight & pids+=($!)
  fi
  expect stop 1 '"trainingRate".*"finished","ok":false,"message":"stopped by SIGTERM' 60 "" \
    timeout --preserve-status --signal TERM 30 python3 "$train" "${small[@]}" --seconds 300 & pids+=($!)
  for pid in "${pids[@]}"; do wait "$pid" || failures=$((failures + 1)); done
}

python3 -c 'import torch; print("torch", torch.__version__, "NCCL", torch.cuda.nccl.version(), "cuDNN", torch.backends.cudnn.version())' || exit 1
expect all 0 "$passed" 90 "" python3 "$train" --seconds 10
if ((gpus > 1)); then
  expect one 0 "$passed" 60 "" python3 "$train" --gpus 1 --seconds 4
  same one all
fi
expect flash 0 "$passed" 60 "" python3 "$train" --seconds 3 --attention flash
same flash all
expect batch8 0 "$passed" 60 "" python3 "$train" --seconds 3 --micro-batch 8
((gpus > 1)) || expect batch24 0 "$passed" 60 "" python3 "$train" --seconds 3 --micro-batch 24
expect compile 0 "$passed" 120 "" python3 "$train" --seconds 3 --compile
faults
((failures == 0))
