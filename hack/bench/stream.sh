#!/usr/bin/env bash
# Compares our STREAM with the one in Debian's hpcc: same threads as hpcc has processes, same array sizes, huge pages for both, runs
# interleaved. Prints, for each kernel, the median over the runs of either program's best rate, and our share of hpcc's. hpcc cannot run STREAM alone: one
# run takes one to two minutes, most of it RandomAccess.
#
# Usage: [RANKS=n] hack/bench/stream.sh STREAM_PROGRAM [RUNS]     (default: 3 runs of each, on every core)
# On a machine that does other work the best rates of all runs tell more than the medians; both are printed.
set -euo pipefail

stream="$(realpath "${1:?usage: hack/bench/stream.sh STREAM_PROGRAM [RUNS]}")"
runs="${2:-3}"
ranks="${RANKS:-$(lscpu --parse=Core,Socket | grep -v '^#' | sort -u | wc -l)}"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
cd "$work"

# The order of HPL's matrix sets the size of hpcc's arrays: a third of each rank's part. 48 MB for each array and rank.
order="$(awk -v ranks="$ranks" 'BEGIN { print int(sqrt(48e6 * 3 * ranks / 8)) }')"
cat >hpccinf.txt <<EOF
title
author
HPL.out name
8 device
1 problems
$order Ns
1 blocks
192 NBs
0 PMAP
1 grids
1 Ps
$ranks Qs
16.0 threshold
1 PFACTs
2 PFACT
1 NBMINs
4 NBMIN
1 NDIVs
2 NDIV
1 RFACTs
1 RFACT
1 BCASTs
1 BCAST
1 DEPTHs
1 DEPTH
2 SWAP
64 threshold
0 L1
0 U
1 equilibration
8 alignment
EOF

# best FILE: lines "kernel rate" of one document
best() {
  python3 -c '
import json, sys
for m in json.load(open(sys.argv[1]))["measurements"]:
    if m["name"].endswith("Best"):
        print(m["name"][:-4], m["parts"][0]["value"])' "$1"
}

for ((run = 1; run <= runs; run++)); do
  echo "run $run of $runs" >&2
  rm -f hpccoutf.txt
  OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 GLIBC_TUNABLES=glibc.malloc.hugetlb=1 \
    mpirun --allow-run-as-root -np "$ranks" --bind-to core hpcc
  elements="$(sed -n 's/^STREAM_VectorSize=//p' hpccoutf.txt)"
  sed -n 's/^StarSTREAM_\([A-Z][a-z]*\)=\(.*\)/\1 \2/p' hpccoutf.txt |
    awk -v ranks="$ranks" '{ print "node hpcc", tolower($1), $2 * ranks }' >>rates
  sed -n 's/^SingleSTREAM_\([A-Z][a-z]*\)=\(.*\)/single hpcc \L\1\E \2/p' hpccoutf.txt >>rates
  # As many samples as hpcc takes: the best of more would be better by chance alone.
  taskset -c "0-$((ranks - 1))" "$stream" --bytes $((elements * 8 * ranks)) --seconds 0.1 >document 2>/dev/null
  best document | sed 's/^/node assay /' >>rates
  taskset -c 0 "$stream" --bytes $((elements * 8)) --seconds 0.1 >document 2>/dev/null
  best document | sed 's/^/single assay /' >>rates
done

python3 - "$ranks" <<'EOF'
import collections, statistics, sys
rates = collections.defaultdict(list)
for line in open("rates"):
    place, program, kernel, rate = line.split()
    rates[place, program, kernel].append(float(rate))
print(f"{'place':8}{'kernel':8}{'hpcc':>9}{'ours':>9}{'ratio':>8}{'of best':>9}   (GB/s; {sys.argv[1]} ranks or threads on the node)")
for place in ("node", "single"):
    for kernel in ("copy", "scale", "add", "triad"):
        samples = [rates[place, program, kernel] for program in ("hpcc", "assay")]
        hpcc, ours = map(statistics.median, samples)
        print(f"{place:8}{kernel:8}{hpcc:9.2f}{ours:9.2f}{ours / hpcc:8.3f}{max(samples[1]) / max(samples[0]):9.3f}")
EOF
