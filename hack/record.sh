#!/usr/bin/env bash
# Records what the benchmark programs report on this machine, again and again, each time in new processes: the noise that a
# verdict has to live with. hack/bench/noise estimates a Benchmark's `noise` from such files (docs/catalogue.md).
#
# Usage: hack/record.sh [options]
#   --out FILE.json.gz     where the recording goes (default: recording.json.gz)
#   --bin DIR[:DIR...]     where the programs are (default: the folders of `make kernels-cpu kernels`, then PATH)
#   --repetitions N        of every program (default 12)
#   --only A,B             only these series (default: all whose program is there and can run)
#   --add NAME=COMMAND     one more series, or another command for one of these
#   --hosts A,B            run mpibench between these hosts through ssh (default: between two processes on the loopback)
#   --note TEXT            said in the recording: what is special about this machine
# Needs bash 5, coreutils, awk, sed and gzip, which the images bench-cpu and bench-cuda have: mount this file there. Programs run
# one after the other; whatever else uses the machine meanwhile is recorded as noise. No setting of a GPU or node is changed.
set -euo pipefail
export LC_ALL=C

out=recording.json.gz repetitions=12 only="" hosts="" note="" bin="build/kernels/bin:build/kernels-cuda/bin"
declare -A command=(
  [stream]="stream"
  [dgemm]="dgemm"
  [hpl]="hpl --memory-fraction 0.05"
  [p2p]="p2p"
  [hostlink]="hostlink"
  [gpustream]="gpustream"
  [gemm]="gemm --precisions fp64,fp32,fp16"
  [gemm-formats]="gemm --precisions tf32,bf16,fp8"
  [gemm-fp64]="gemm --precisions fp64 --seconds 6"
  [collectives]="collectives"
  [collectives-ring]="collectives --ring"
  [burn]="burn --seconds 30"
  [nbody]="nbody"
  [montecarlo]="montecarlo"
  [reduction]="reduction"
  [scan]="scan"
  [md]="md"
)
order=(stream dgemm hpl mpibench mpibench-all p2p hostlink gpustream gemm gemm-formats gemm-fp64 collectives collectives-ring burn nbody montecarlo reduction scan md)

add() { # NAME=COMMAND
  [[ -n "${command[${1%%=*}]:-}" || " ${order[*]} " == *" ${1%%=*} "* ]] || order+=("${1%%=*}")
  command["${1%%=*}"]="${1#*=}"
}

added=()
while (($# > 0)); do
  case "$1" in
    --out) out="$2" ;;
    --bin) bin="$2" ;;
    --repetitions) repetitions="$2" ;;
    --only) only="$2" ;;
    --add) added+=("$2") ;;
    --hosts) hosts="$2" ;;
    --note) note="$2" ;;
    *) sed -n '2,/^set /{/^#/p}' "$0" | cut -c3- >&2; exit 2 ;;
  esac
  shift 2
done
export PATH="$bin:$PATH" OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# Two ranks, named as two hosts, over TCP: the loopback's, or what is between the hosts.
messages() { # MODES
  local way="--oversubscribe --mca btl self,tcp --mca btl_tcp_if_include lo" first="" second=""
  if [[ -n "$hosts" ]]; then
    way="--mca btl self,tcp" first="-H ${hosts%,*}" second="-H ${hosts#*,}"
  fi
  echo "mpirun --bind-to none $way -n 1 $first mpibench --host-name a --modes $1 --seconds 4 : -n 1 $second mpibench --host-name b --modes $1 --seconds 4"
}
command[mpibench]="$(messages latency,bandwidth,bidirectional,messageRate)"
command[mpibench-all]="$(messages allreduce,alltoall,barrier)"
for series in ${added[@]+"${added[@]}"}; do add "$series"; done

work="$(mktemp -d)"
# quoted: stdin as a JSON string.
quoted() { awk 'BEGIN { ORS = ""; print "\"" } { gsub(/\\/, "\\\\&"); gsub(/"/, "\\\""); gsub(/\t/, "\\t"); gsub(/[\001-\037]/, ""); print (NR > 1 ? "\\n" : "") $0 } END { print "\"" }'; }
# listed: the lines of stdin as a JSON list of strings.
listed() { local line sep=""; printf '['; while IFS= read -r line; do printf '%s%s' "$sep" "$(quoted <<<"$line")"; sep=","; done; printf ']'; }
gpus() { if command -v nvidia-smi >/dev/null; then nvidia-smi --query-gpu="$1" --format=csv,noheader 2>/dev/null || true; fi; }

machine() {
  printf '{"date":"%s","note":%s,"gpus":%s,"driver":%s,"powerLimitW":%s,"cpus":%s,"cpu":%s,"kernel":"%s"}' "$(date +%F)" \
    "$(quoted <<<"$note")" "$(gpus name | listed)" "$(gpus driver_version | head -n 1 | quoted)" "$(gpus power.limit | listed)" "$(nproc)" \
    "$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1 | quoted)" "$(uname -r)"
}

# write puts together what was measured so far: a recording that is broken off keeps every whole repetition.
write() {
  local series sep=""
  {
    printf '{"machine":%s,"series":{' "$(cat "$work/machine")"
    for series in "${order[@]}"; do
      [[ -s "$work/runs.$series" ]] || continue
      printf '%s"%s":{"command":%s,"runs":[%s]}' "$sep" "$series" "$(quoted <<<"${command[$series]}")" "$(paste -sd, "$work/runs.$series")"
      sep=","
    done
    printf '}}\n'
  } | gzip -9 >"$out.part"
  mv "$out.part" "$out"
}

# run measures a series once: a line of JSON. What is no document of Assay's is kept as text, for the reader of its format.
run() {
  local series="$1" code=0 start="${EPOCHREALTIME/./}" document wall
  # shellcheck disable=SC2086  # a command line, to be split
  timeout 1800 ${command[$series]} >"$work/stdout" 2>"$work/stderr" || code=$?
  wall="$(awk -v us="$((${EPOCHREALTIME/./} - start))" 'BEGIN { printf "%.3f", us / 1e6 }')"
  if document="$(grep -m 1 '^{.*}$' "$work/stdout")"; then
    document="\"document\":$document"
  else
    document="\"output\":$(quoted <"$work/stdout")"
  fi
  if ((code != 0 && code != 77)); then
    document+=",\"stderr\":$(tail -c 2000 "$work/stderr" | quoted)"
    failed=1
  fi
  printf '{"exitCode":%d,"wallSeconds":%s,%s}\n' "$code" "$wall" "$document" >>"$work/runs.$series"
  echo "$series: exit code $code, $wall s" >&2
  ((code != 77)) || unable["$series"]=1
}

declare -A unable=()
failed=0
machine >"$work/machine"
trap 'rm -rf "$work"' EXIT
for ((repetition = 1; repetition <= repetitions; repetition++)); do
  echo "repetition $repetition of $repetitions" >&2
  for series in "${order[@]}"; do
    [[ -z "$only" || ",$only," == *",$series,"* ]] || continue
    [[ -z "${unable[$series]:-}" ]] || continue
    read -r program _ <<<"${command[$series]}"
    command -v "$program" >/dev/null || { unable["$series"]=1; echo "$series: left out, there is no $program" >&2; continue; }
    run "$series"
  done
  write
done
exit "$failed"
