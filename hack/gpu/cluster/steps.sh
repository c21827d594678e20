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

# claim NAME: a pod with one GPU, which it lists and keeps.
claim() {
  cat <<YAML
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: $1}
spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.nvidia.com}}]}}
---
apiVersion: v1
kind: Pod
metadata: {name: $1}
spec:
  terminationGracePeriodSeconds: 1
  resourceClaims: [{name: gpu, resourceClaimName: $1}]
  containers:
  - {name: list, image: "localhost/assay/bench-cuda:dev", command: [sh, -c, "nvidia-smi -L; env | grep ^DRA_; sleep 600"], resources: {claims: [{name: gpu}]}}
---
YAML
}

# Each GPU of the machine is seen by exactly one of as many pods.
step_claims() {
  local pods=() i
  for ((i = 0; i < gpus; i++)); do pods+=("claims-$i"); done
  for pod in "${pods[@]}"; do claim "$pod"; done >"$out/claims.yaml"
  kubectl apply -f "$out/claims.yaml" >/dev/null
  kubectl wait --for=condition=Ready --timeout=120s "${pods[@]/#/pod/}" >/dev/null
  for pod in "${pods[@]}"; do show kubectl logs "$pod"; done | tee "$out/claims.log"
  if ! diff <(nvidia-smi -L | grep -o 'GPU-[0-9a-f-]*' | sort) <(grep -o 'UUID: GPU-[0-9a-f-]*' "$out/claims.log" | cut -d' ' -f2 | sort); then
    echo "cluster.sh: the pods do not see each GPU of the machine once" >&2
    failed=1
  fi
  kubectl delete -f "$out/claims.yaml" >/dev/null
}

step_shell() { bash; }
