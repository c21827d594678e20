# The steps of hack/gpu/cluster.sh, which sources this file.
# shellcheck shell=bash disable=SC2154 # its variables

step_suite() {
  local recorder sockets
  mapfile -t sockets < <(ls "/run/assay-cluster/$CLUSTER"/node-*/containerd.sock)
  rm -rf "$out/timeline"
  setsid $here/timeline.py record "$out/timeline" "${sockets[@]}" 2>"$out/logs/timeline.log" &
  recorder=$!
  sleep 0.5 # until it watches
  manifest "$suite" <<<"suite: $suite"
  run "$suite" "$([[ $replicas == 1 ]] && echo 0)"
  sleep 0.5 # the last events
  kill -- "-$recorder" 2>/dev/null || true
  $here/timeline.py table "$out/timeline" | tee "$out/timeline.txt"
}

# A process of the machine, which Kubernetes knows nothing of, uses a tenth of the time of gpu0.
step_disturbed() {
  local neighbour
  build/kernels-cuda/tools/neighbour --duty 0.1 >"$out/logs/neighbour.log" &
  neighbour=$!
  sleep 1
  manifest disturbed <<<"benchmarks: [{name: gpustream}]"
  run disturbed ""
  kill "$neighbour" 2>/dev/null || true
  wait "$neighbour" 2>/dev/null || true
  manifest alone <<<"benchmarks: [{name: gpustream}]"
  run alone 0
}

# What the device plugin's specification gives each container of a node, besides its devices: NAME=VALUE in the environment; none.
node_environment() {
  local spec
  for spec in "/run/assay-cluster/$CLUSTER"/node-*/cdi/*.json; do
    python3 - "$spec" "$@" <<'PYTHON'
import json, pathlib, sys
spec = pathlib.Path(sys.argv[1])
content = json.loads(spec.read_text())
edits = content.setdefault("containerEdits", {})
edits["env"] = [e for e in edits.get("env", []) if not e.startswith("NCCL_")] + sys.argv[2:]
spec.write_text(json.dumps(content))
PYTHON
  done
  sleep 0.5 # containerd watches the folder
}

show_taints() {
  show kubectl get nodes -o 'custom-columns=NODE:.metadata.name,VERDICT:.metadata.labels.assay\.dev/verdict,TAINTS:.spec.taints[*].key'
}

# A slowness that lasts without any setting of a GPU: somebody has told NCCL on the nodes to do without peer access.
step_slow() {
  local spec=$'benchmarks: [{name: collectives}]\nonFailure: {taint: {}}'
  node_environment NCCL_P2P_DISABLE=1
  manifest slow <<<"$spec"
  run slow 1
  show_taints
  node_environment
  manifest repaired <<<"$spec"
  run repaired 0
  show_taints
}

step_fabric() {
  kubectl apply -f $here/mpibench-cuda.yaml
  manifest fabric <<'YAML'
benchmarks:
- name: nccl-cluster
  parameters: [{name: bytes, value: "268435456"}]
- name: mpibench-cuda
YAML
  run fabric 0
}

step_shell() { bash; }
