#!/usr/bin/env bash
# Tries and measures train on this machine's GPUs: about 150 s with one GPU and with two. Needs: python3 with torch and nvidia-ml-py, both of
# which may be in any Python environment whose python3 comes first; nothing carried.
#
#   one, all      the default on one GPU and on all: rates, scaling, the same gradients
#   flash, batch, compile   variants: attention by flash, half and twice the micro-batch, layers compiled (which needs a C compiler)
#   faults        flipped bits are found, SIGTERM leaves a document; small models, at the same time
# Run by hack/gpu/applications.sh, or with the same environment: out and gpus.
set -uo pipefail
cd "$(dirname "$0")/../../.."
: "${out:?}" "${gpus:?}"
out="$out/train"
mkdir -p "$out"
train=kernels/train/train.py
small=(--layers 2 --sequence 512 --micro-batch 4 --seconds 1)
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
  echo "FAIL  $name ($((SECONDS - start)) s): exit code $got, wanted $code and /$pattern/"
  echo "      $*"
  head -c 1500 "$out/$name.json"
  echo
  tail -5 "$out/$name.log" | sed 's/^/      /'
  return 1
}

# Figures and failed checks of a document, on one line.
brief() {
  python3 - "$1" <<'PYTHON'
import json, sys
document = json.load(open(sys.argv[1]))
said = [f"{name} {document['parameters'][name]}" for name in ("microBatch", "lossFirst", "lossLast", "powerW", "smClockMHz") if name in document.get("parameters", {})]
for measurement in document.get("measurements", []):
    values = " ".join(f"{part['value']:g}" for part in measurement["parts"])
    said.append(f"{measurement['name']} {values} ({max(part['spread'] for part in measurement['parts']):.2%})")
said += [f"{check['name']}: {check.get('message', '')}" for check in document.get("checks", []) if not check["ok"]]
said += document.get("notes", []) + [f"{fact['name']} {fact['value']}" for fact in document.get("facts", [])]
print("; ".join(said), f"in {document['elapsedSeconds']:.1f} s")
PYTHON
}

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
  expect gradient 1 '"repeatable","ok":false,"message":"gpu'$((gpus - 1)) 60 python3 "$train" "${small[@]}" --inject-bitflip gradient & pids+=($!)
  if ((gpus > 1)); then
    expect weight 1 '"weightsEqual","ok":false' 60 python3 "$train" "${small[@]}" --inject-bitflip weight & pids+=($!)
  fi
  expect stop 1 '"trainingRate".*"finished","ok":false,"message":"stopped by SIGTERM' 60 \
    timeout --preserve-status --signal TERM 30 python3 "$train" "${small[@]}" --seconds 300 & pids+=($!)
  for pid in "${pids[@]}"; do wait "$pid" || failures=$((failures + 1)); done
}

measure() { expect "$@" || failures=$((failures + 1)); }

python3 -c 'import torch; print("torch", torch.__version__, "NCCL", torch.cuda.nccl.version(), "cuDNN", torch.backends.cudnn.version())' || exit 1
measure all 0 "$passed" 90 python3 "$train" --seconds 10
if ((gpus > 1)); then
  measure one 0 "$passed" 60 python3 "$train" --gpus 1 --seconds 4
  same one all
fi
measure flash 0 "$passed" 60 python3 "$train" --seconds 3 --attention flash
same flash all
measure batch8 0 "$passed" 60 python3 "$train" --seconds 3 --micro-batch 8
((gpus > 1)) || measure batch24 0 "$passed" 60 python3 "$train" --seconds 3 --micro-batch 24
measure compile 0 "$passed" 120 python3 "$train" --seconds 3 --compile
faults
((failures == 0))
