# What test/upgrade/run.sh does and asserts, one function each.

step() { printf '[%3ds] %s\n' "$SECONDS" "$*"; }
fail() { echo "FAIL: $*" >&2; exit 1; }

load() { clusterctl load --name "$cluster" "$1" >/dev/null; }

helm_() { # operation, arguments
  local waits=(--wait)
  [[ $1 == uninstall ]] || waits+=(--timeout 5m)
  local values=()
  case "$1" in
    install | upgrade) values=(--set "image.pullPolicy=Never,knownMaxAge=0") ;;
  esac
  "$ASSAY_HELM" --namespace assay-system "$@" "${values[@]}" "${waits[@]}" >/dev/null
}

# Manager and runner of an earlier commit as images tagged "previous". Prints the folder they are in, with the commit's chart.
build_previous() {
  local built="build/upgrade/$1" folder="build/upgrade/$1.partial" image
  if [[ ! -d $built ]]; then
    rm -rf "$folder" && mkdir -p "$folder"
    git archive "$1" | tar -x -C "$folder"
    for image in manager runner; do
      CGO_ENABLED=0 hack/step.sh "previous-$image" "Compiling the $image of $1" \
        go build -C "$folder" -trimpath -ldflags "-s -w -X main.version=previous" -o "bin/$image" "./cmd/$image"
      hack/step.sh "previous-image-$image" "Building its image" \
        buildah bud --isolation chroot --tag "localhost/assay/$image:previous" --file "$folder/images/$image/Dockerfile" "$folder"
      buildah push --quiet "localhost/assay/$image:previous" "oci-archive:$folder/$image.tar:localhost/assay/$image:previous"
      buildah rmi "localhost/assay/$image:previous" >/dev/null
    done
    mv "$folder" "$built"
  fi
  echo "$built"
}

# A run of the user's benchmark on one node, which is tainted if it fails.
start() { # run, node
  kubectl create -f - >/dev/null <<YAML
apiVersion: assay.dev/v1alpha1
kind: ValidationRun
metadata: {name: $1}
spec:
  nodeNames: [$2]
  benchmarks: [{name: own-rate}]
  confirmations: 1
  onFailure: {taint: {}}
YAML
}

condition() { kubectl get validationrun "$1" -o jsonpath='{.status.conditions[?(@.type=="Finished")].'"$2"'}'; }

# Lets the run's programs end, each by a signal, until the run is over.
ends() { # run, reason, signal
  local try
  for ((try = 0; try < 300; try++)); do
    wake "$3"
    ! kubectl wait --for=condition=Finished --timeout=1s "validationrun/$1" >/dev/null 2>&1 || break
  done
  [[ "$(condition "$1" reason)" == "$2" ]] || fail "run $1: $(condition "$1" reason), want $2: $(condition "$1" message)"
}

pod_of() { kubectl -n assay-benchmarks get pods -l "assay.dev/run-uid=$(kubectl get validationrun "$1" -o jsonpath='{.metadata.uid}')" "${@:2}"; }

# The UID of the run's pod, once its program runs.
running() {
  local name try
  for ((try = 0; try < 600; try++)); do
    name="$(pod_of "$1" -o name)"
    if [[ -n $name ]]; then
      kubectl -n assay-benchmarks wait --for=jsonpath='{.status.phase}'=Running --timeout=300s "$name" >/dev/null
      pod_of "$1" -o jsonpath='{.items[*].metadata.uid}'
      return
    fi
    kubectl get --raw /readyz >/dev/null
  done
  fail "run $1 starts no pod"
}

same_pod() { [[ "$(pod_of "$1" -o jsonpath='{.items[*].metadata.uid}')" == "$2" ]] || fail "run $1 lost its pod $2: $(pod_of "$1" -o name)"; }

# Sends a signal to the sleeps of benchmark programs. Nobody may enter the pods, but their processes are this machine's.
wake() {
  local process
  for process in /proc/[0-9]*; do
    if [[ "$(cat "$process/comm" 2>/dev/null)" == sleep ]] && grep -q "/assay-$cluster/node-" "$process/cgroup" 2>/dev/null; then
      kill "-$1" "${process#/proc/}" 2>/dev/null || true
    fi
  done
}

attempts_of() { # run, number
  local got
  got="$(kubectl get validationresults -l "assay.dev/run-uid=$(kubectl get validationrun "$1" -o jsonpath='{.metadata.uid}')" \
    -o jsonpath='{.items[*].benchmarks[*].attempts[*].podUID}' | wc -w)"
  [[ $got == "$2" ]] || fail "run $1 took $got attempts, want $2"
}

taints() { kubectl get node "$1" -o jsonpath='{range .spec.taints[*]}{.key}={.value}:{.effect}{"\n"}{end}'; }
tainted() { taints "$1" | grep -qx 'assay.dev/unfit=.*:NoSchedule' || fail "$1 carries no taint of Assay's: $(taints "$1")"; }
untainted() { ! taints "$1" | grep -q '^assay.dev/' || fail "$1 still carries $(taints "$1"): $(kubectl get validationruns -o jsonpath='{.items[*].status.nodes[*].note}')"; }
gone() { [[ -z "$(kubectl -n assay-system get "$1" --ignore-not-found -o name)" ]] || fail "$1 is still there"; }

# What the cluster serves is what the chart has.
crds_are() { # chart
  local file name
  for file in "$1"/files/crds/*.yaml; do
    name="$(basename "$file" .yaml)"
    diff <(kubectl get crd "${name#*_}.${name%%_*}" -o json | jq -S '[.spec.versions[].schema]') \
         <(kubectl create --dry-run=client --validate=false -f "$file" -o json | jq -S '[.spec.versions[].schema]') >/dev/null ||
      fail "the cluster does not serve the CRD $file"
  done
}

# Of a list, what both releases know of the objects of this test: docs/install.md says what becomes of the rest.
known() {
  if [[ -z $previous ]]; then cat; return; fi
  jq 'del(.items[].spec.onFailure?.taint?.scope?, .items[].spec.run?.onFailure?.taint?.scope?, .items[].benchmarks[]?.headline[]? ["findsBy", "findsFromPercent"])'
}

# Everything that users have: objects by their UIDs, the content of results, what is recorded of nodes, and taints.
belongings() {
  kubectl get validationruns,validationpolicies,nodevalidations -o json | known | jq -S '.items[] | [.kind, .metadata.name, .metadata.uid, .spec]'
  kubectl get benchmark own-rate -o json | jq -S '[.metadata.uid, .spec]'
  kubectl get validationresults -o json | known | jq -S '.items[] | del(.metadata.managedFields, .metadata.resourceVersion, .metadata.generation)'
  kubectl get nodevalidation node-2 -o json | jq -S '{convictions, quarantine, proof, offenceCount}, .fingerprint, .benchmarks[].history[-1].asked'
  kubectl get benchmarks,hardwareprofiles -o name
  kubectl get crds -o json | jq -r '.items[] | select(.spec.group == "assay.dev") | .metadata.uid'
  taints node-2
}

# What earlier versions kept in the NodeValidation is in the NodeHistory, and not in both; nothing of it is lost.
history_moved() { # node, runs that measured it
  local try
  for ((try = 0; try < 60; try++)); do
    [[ -z "$(kubectl get nodevalidation "$1" -o jsonpath='{.nodeHistory.uid}')" ]] || break
    sleep 1
  done
  [[ "$(kubectl get nodevalidation "$1" -o jsonpath='{.nodeHistory.uid}')" == "$(kubectl get nodehistory "$1" -o jsonpath='{.metadata.uid}')" ]] ||
    fail "the NodeValidation of $1 does not name its NodeHistory"
  [[ -z "$(kubectl get nodevalidation "$1" -o json | jq '.benchmarks[] | .passes // empty, .history[].held // empty')" ]] ||
    fail "the NodeValidation of $1 still has its history"
  [[ "$(kubectl get nodehistory "$1" -o json | jq '[.benchmarks[].entries[].runUID] | unique | length')" == "$2" ]] ||
    fail "the NodeHistory of $1 lost a run: $(kubectl get nodehistory "$1" -o jsonpath='{.benchmarks[*].entries[*].run}')"
}

remember() { belongings >"$home/before"; }

# Everything that was remembered is there as it was; there may be more.
nothing_lost() {
  local lost
  belongings >"$home/after"
  lost="$(diff "$home/before" "$home/after" | grep '^<' || true)"
  [[ -z $lost ]] || fail "lost or changed:"$'\n'"$lost"
}
