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
metadata: {name: $1, labels: {app: claims}}
spec:
  terminationGracePeriodSeconds: 1
  resourceClaims: [{name: gpu, resourceClaimName: $1}]
  containers:
  - {name: list, image: "localhost/assay/bench-cuda:dev", command: [sh, -c, "nvidia-smi -L; env | grep ^DRA_; sleep 600"], resources: {claims: [{name: gpu}]}}
---
YAML
}

# claimants: as many pods as the machine has GPUs, each of which claims one.
claimants() {
  local i
  for ((i = 0; i < gpus; i++)); do claim "claims-$i"; done >"$out/claims.yaml"
  kubectl apply -f "$out/claims.yaml" >/dev/null
}

# seen_by POD...: the UUIDs of the GPUs in the pods, sorted.
seen_by() {
  local pod
  for pod; do
    timeout 60 sh -c 'until kubectl logs "$1" | grep -q ^DRA_; do sleep 0.2; done' - "$pod"
    kubectl logs "$pod"
  done | tee "$out/claims.log" | grep -o 'UUID: GPU-[0-9a-f-]*' | cut -d' ' -f2 | sort
}

# same WHAT WANTED GOT: lists of lines.
same() {
  diff <(echo "$2") <(echo "$3") && return
  echo "cluster.sh: $1: wanted the lines with <" >&2
  failed=1
}

all_gpus() { nvidia-smi -L | grep -o 'GPU-[0-9a-f-]*' | sort; }

# Each GPU of the machine is seen by exactly one of as many pods.
step_claims() {
  local pods
  claimants
  kubectl wait --for=condition=Ready --timeout=120s pod -l app=claims >/dev/null
  mapfile -t pods < <(kubectl get pods -l app=claims -o name)
  same "the GPUs of the pods" "$(all_gpus)" "$(seen_by "${pods[@]}")"
  cat "$out/claims.log"
  kubectl delete -f "$out/claims.yaml" >/dev/null
}

show_rules() {
  show kubectl get devicetaintrules -o 'custom-columns=POOL:.spec.deviceSelector.pool,DEVICE:.spec.deviceSelector.device,KEY:.spec.taint.key,EFFECT:.spec.taint.effect'
}

# Of as many pods as there are GPUs, each with a claim on one, all but one come to run.
wait_for_all_but_one() {
  for ((try = 0; try < 300; try++)); do
    mapfile -t working < <(kubectl get pods -l app=claims --field-selector status.phase=Running -o name)
    if ((${#working[@]} == gpus - 1)) && kubectl get pods -l app=claims -o json | grep -q '"Unschedulable"'; then return; fi
    sleep 0.2
  done
  echo "cluster.sh: after a minute ${#working[@]} of $gpus pods run, and none is Unschedulable" >&2
  failed=1
}

# The slowest GPU is the one that a bound asks more of than it reached: half of the way to the next one, in memory bandwidth, by which they
# differ several times as much as from run to run. It is taken out of service, and the others go on working. By the Benchmark's own bounds it proves itself, and
# works too.
step_quarantine() {
  local slow bound working taint=$'onFailure: {taint: {scope: Device}}'
  manifest measured <<<"benchmarks: [{name: gpustream}]"
  run measured 0
  read -r slow bound < <(kubectl assay export measured -o csv | awk -F, '$10 == "hbmTriad" { print $12, $22 }' | sort -g |
    awk 'NR == 1 { value = $1; slow = $2 } NR == 2 { print slow, (value + $1) / 2 }')
  say "the slowest is $slow, the bound $bound GB/s"
  manifest one-slow <<<"benchmarks: [{name: gpustream, expectations: [{metric: hbmTriad, min: \"$bound\"}]}]"$'\n'"$taint"
  run one-slow 1
  show_rules
  show_taints
  claimants
  wait_for_all_but_one
  same "the GPUs of the pods that run" "$(all_gpus | grep -v "$slow")" "$(seen_by "${working[@]}")"
  show kubectl get pods
  kubectl delete -f "$out/claims.yaml" >/dev/null
  manifest repaired-gpu <<<"benchmarks: [{name: gpustream}]"$'\n'"$taint"
  run repaired-gpu 0
  show_rules
  step_claims
}

step_shell() { bash; }
