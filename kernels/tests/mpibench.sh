#!/usr/bin/env bash
# Tests of mpibench with several processes on this machine: it measures and verifies, finds a damaged buffer, and says why when it
# cannot run. Usage: mpibench.sh FOLDER-OF-PROGRAMS. Exit code 77 when there is no mpirun.
set -uo pipefail
program="$1/mpibench"
. "$(dirname "$0")/ranks.sh"

# two_hosts OPTIONS...: a rank on each of two hosts, by name.
two_hosts() {
  "${run[@]}" -n 1 -x ASSAY_NODE_NAME=node-1 "$program" "$@" : -n 1 -x ASSAY_NODE_NAME=node-2 "$program" "$@"
}

quick=(--seconds 0.3 --max-bytes 65536)
way='"parts":\[\{"at":"node-1<->node-2","value":[0-9.]+'
both_ways='"parts":\[\{"at":"node-1->node-2","value":[^}]*\},\{"at":"node-2->node-1","value":[^}]*\}\]'
all='"parts":\[\{"at":"all","value":[0-9.]+'
expect "latency" 0 "\"latency\",\"unit\":\"us\",\"better\":\"lower\",$way" two_hosts "${quick[@]}" --modes latency
expect "bandwidth, each way" 0 "\"bandwidth\",\"unit\":\"GB/s\",\"better\":\"higher\",$both_ways" two_hosts "${quick[@]}" --modes bandwidth
expect "both ways at once" 0 "\"bidirectionalBandwidth\",\"unit\":\"GB/s\",\"better\":\"higher\",$way" two_hosts "${quick[@]}" --modes bidirectional
expect "message rate" 0 "\"messageRate\",\"unit\":\"messages/s\",\"better\":\"higher\",$way" two_hosts "${quick[@]}" --modes messageRate
expect "allreduce" 0 "\"allreduceLatency\",\"unit\":\"us\",\"better\":\"lower\",$all.*\"allreduceBandwidth\",\"unit\":\"GB/s\"" two_hosts "${quick[@]}" --modes allreduce
expect "alltoall" 0 "\"alltoallBandwidth\",\"unit\":\"GB/s\",\"better\":\"higher\",$all" two_hosts "${quick[@]}" --modes alltoall
expect "barrier" 0 "\"barrierLatency\",\"unit\":\"us\",\"better\":\"lower\",$all" two_hosts "${quick[@]}" --modes barrier
expect "all of it, verified" 0 '"name":"dataIntegrity","ok":true' two_hosts "${quick[@]}"
expect "the sweep" 0 '"bandwidthBySize".*"at":"1 B".*"at":"65536 B"' two_hosts "${quick[@]}" --sweep --modes bandwidth
expect "one host" 0 '"at":"[^"]*#0<->[^"]*#1"' "${run[@]}" -n 2 "$program" "${quick[@]}" --modes latency
expect "three hosts" 0 '"rounds":3' "${run[@]}" -n 3 "$program" "${quick[@]}"
for mode in latency bandwidth bidirectional messageRate allreduce alltoall; do
  expect "$mode finds damage" 1 '"name":"dataIntegrity","ok":false,"message":"[^"]+rank [01] received wrong data' \
    two_hosts "${quick[@]}" --modes "$mode" --inject-bitflip
done
expect "bad usage" 2 '^$' "${run[@]}" -n 2 "$program" --modes nonsense
expect "one rank" 77 '"skipped":"needs at least two ranks' "${run[@]}" -n 1 "$program"
expect "no GPU memory" 77 '"skipped":".+' "${run[@]}" -n 2 "$program" --buffers cuda

for signal in TERM INT; do
  expect "SIG$signal leaves a document" 1 '"name":"finished","ok":false,"message":"stopped by SIG' \
    stopped_by "$signal" measuring "${run[@]}" -n 2 "$program" --seconds 600
done
finish
