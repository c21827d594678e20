#!/usr/bin/env bash
# The demo: a real Kubernetes of four nodes on this machine, one of them slow. Assay finds it, taints it, and after the repair
# proves that it is fast again; then it finds the node whose network is slow, by measuring pairs; at last a fifth node joins, and
# takes no work before it has passed. Run it by `make demo`, as root.
#
# Environment: CLUSTER  name of the local cluster (default: assay)
set -euo pipefail

cd "$(dirname "$0")/.."
cluster="${CLUSTER:-assay}"
slow_node=node-4 slow_link_node=node-2 new_node=node-5
export KUBECONFIG="/var/lib/assay-cluster/$cluster/kubeconfig" PATH="$PWD/bin:$PATH"

started=$SECONDS
bold='' plain=''
if [[ -t 1 ]]; then bold=$'\e[1m' plain=$'\e[0m'; fi

step() { printf '\n%s[%3ds] %s%s\n' "$bold" "$((SECONDS - started))" "$*" "$plain"; }
show() { printf '%s$ %s%s\n' "$bold" "$*" "$plain"; "$@"; }
build() { make --no-print-directory CLUSTER="$cluster" "$@"; }

check_machine() {
  [[ $EUID -eq 0 ]] || { echo "demo: the local cluster needs root: sudo make demo" >&2; exit 1; }
  command -v go >/dev/null || { echo "demo: Go is not installed, or not on root's PATH" >&2; exit 1; }
}

# Images that the nodes have from an earlier demo are not loaded again.
load_images() {
  local image archive loaded="/var/lib/assay-cluster/$cluster/demo-images"
  for image; do
    archive="$(hack/images/build.sh "$image" 2>/dev/null)"
    grep -qxF "$archive" "$loaded" 2>/dev/null && continue
    build cluster-load IMAGE_ARCHIVE="$archive"
    echo "$archive" >>"$loaded"
  done
}

# kubectl fails where a kind has no conditions yet.
established() { kubectl kustomize config/crd | kubectl wait --for=condition=Established --timeout=60s -f - >/dev/null; }

install_operator() {
  local again
  again="$(kubectl -n assay-system get deployment assay-manager --ignore-not-found -o name 2>/dev/null)"
  kubectl apply --server-side --force-conflicts -k config/crd >/dev/null
  established 2>/dev/null || { sleep 1; established; }
  kubectl apply --server-side --force-conflicts -k config/localcluster >/dev/null
  # The tag is always "dev": a pod from an earlier demo may run an older image.
  if [[ -n $again ]]; then kubectl -n assay-system rollout restart deployment/assay-manager >/dev/null; fi
  kubectl -n assay-system rollout status deployment/assay-manager --timeout=120s
  hack/cpu-profile.sh this-machine assay.dev/localcluster=true | kubectl apply --server-side --force-conflicts -f - >/dev/null || true
}

# Applies a run, follows it and prints its report. The four nodes share this machine, so work that comes and goes beside the
# demo can slow some of them down: a run that ends otherwise than expected is made once more.
validate() { # file, run, exit code expected
  local code try
  for try in 1 2; do
    code=0
    kubectl delete validationrun "$2" --ignore-not-found >/dev/null
    show kubectl apply -f "$1"
    show kubectl assay watch "$2" || code=$?
    echo
    show kubectl assay report "$2"
    [[ $code -ne $3 ]] || return 0
    echo
    echo "demo: run $2 ended with exit code $code, expected $3; the load of this machine is $(cut -d' ' -f1-3 /proc/loadavg) on $(nproc) cores" >&2
    [[ $try -eq 2 ]] || echo "demo: once more" >&2
  done
  kubectl -n assay-system logs deployment/assay-manager --tail=20 >&2
  exit 1
}

limit_networks() {
  local node
  for node in node-1 node-2 node-3 node-4; do
    clusterctl --name "$cluster" net limit --node "$node" \
      --rate "$([[ $node == "$slow_link_node" ]] && echo 25mbit || echo 100mbit)" >/dev/null || return 1
  done
}

restore_networks() {
  local node
  for node in node-1 node-2 node-3 node-4; do
    clusterctl --name "$cluster" net restore --node "$node" >/dev/null || true
  done
}

# One file for a browser, with the runs that found something.
write_page() {
  local runs=(sample) page="$PWD/build/demo-report.html"
  mkdir -p build
  if [[ -n "$(kubectl get validationrun sample-fabric --ignore-not-found -o name)" ]]; then runs+=(sample-fabric); fi
  kubectl assay report "${runs[@]}" -o html >"$page"
  echo "The report as a page, for any browser: $page"
}

show_taints() {
  show kubectl get nodes -o 'custom-columns=NODE:.metadata.name,VERDICT:.metadata.labels.assay\.dev/verdict,TAINTS:.spec.taints[*].key'
}

# Leaves the fifth node of an earlier demo out.
without_newcomer() {
  kubectl delete validationpolicy newcomers --ignore-not-found >/dev/null 2>&1 || true
  kubectl delete pod work --ignore-not-found --grace-period=0 --force >/dev/null 2>&1 || true
  if [[ -n "$(kubectl get node "$new_node" --ignore-not-found -o name)" ]]; then
    clusterctl --name "$cluster" node-leave "$new_node" >/dev/null
  fi
}

# Takes back what an earlier demo found last: its node still carries the taint, and a run of the demo may taint one.
forget_earlier_demo() {
  kubectl delete validationrun sample sample-recheck sample-fabric --ignore-not-found >/dev/null
  kubectl delete nodevalidation "$slow_node" "$slow_link_node" --ignore-not-found >/dev/null
  kubectl taint nodes "$slow_node" "$slow_link_node" assay.dev/unfit- >/dev/null 2>&1 || true # an error where none carries it
}

# Some work that only a node of the new pool can do.
work_for_a_new_node() {
  kubectl apply -f - >/dev/null <<'YAML'
apiVersion: v1
kind: Pod
metadata: {name: work}
spec:
  nodeSelector: {pool: new}
  containers: [{name: work, image: "localhost/assay/bench-cpu:dev", command: [sleep, "86400"]}]
YAML
}

check_machine
step "Build the operator, the benchmarks and a Kubernetes (minutes the first time, then cached)"
build cluster-packages
build -j2 cluster-needs | sed -u '/\.tar$/d' # where the images are is of no use here
build cluster-up
without_newcomer
step "Load the images and install the operator from config/"
load_images manager runner
load_images bench-cpu & # the largest, while the operator starts
install_operator
wait $!
forget_earlier_demo
step "Make $slow_node slow: all of its pods share 0.4 cores"
build cluster-degrade NODE="$slow_node" CPU=0.4
step "Validate the nodes with real benchmarks: $slow_node must be found"
validate config/samples/validationrun.yaml sample 1
echo
show_taints
step "Repair $slow_node and validate again: the taint must go, because the node proved itself"
build cluster-restore NODE="$slow_node"
validate config/samples/validationrun-recheck.yaml sample-recheck 0
echo
show_taints
step "Give all nodes a network of 100 Mbit/s, $slow_link_node one of 25, and measure them in pairs: it must be found"
clusterctl --name "$cluster" mpi-operator start >/dev/null # it ends for good where the API server answers nothing for five seconds
if limit_networks; then
  validate config/samples/validationrun-fabric.yaml sample-fabric 1
else
  echo "demo: left out, because this machine's kernel cannot limit a network for real (it needs tc with htb and ifb)"
fi
restore_networks
step "A fifth node joins, with the gate's taint. A pod waits for it: it must not start before the node has passed"
show kubectl apply -f config/samples/validationpolicy-newcomers.yaml
work_for_a_new_node
show clusterctl --name "$cluster" node-join "$new_node" --label pool=new --taint assay.dev/unvalidated=pending:NoSchedule
show kubectl get pod work -o wide
show kubectl wait --for=condition=Ready pod/work --timeout=600s
show kubectl get pod work -o wide
kubectl wait --for=jsonpath='{.status.nodes.gated}'=0 --timeout=60s validationpolicy/newcomers >/dev/null
show kubectl get validationpolicy newcomers
show kubectl get events --field-selector reason=GateOpened -o 'custom-columns=NODE:.involvedObject.name,MESSAGE:.message'
step "Write the report as one HTML file"
write_page
step "Done. Look around:"
cat <<TEXT
  export KUBECONFIG=$KUBECONFIG PATH=$PWD/bin:\$PATH
  kubectl get validationpolicies,validationruns,nodevalidations
  kubectl get validationresults -o wide
  kubectl get benchmarks,hardwareprofiles
  kubectl assay report sample -o json
  kubectl assay report sample-fabric
  kubectl describe node $slow_node | grep -A12 Conditions
Stop the cluster and remove everything of it:
  make cluster-down$([[ $cluster == assay ]] || echo " CLUSTER=$cluster")
TEXT
