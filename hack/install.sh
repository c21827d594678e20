#!/usr/bin/env bash
# Installs this checkout on the cluster of kubectl's context: builds the images, gives them to the nodes, and installs the chart. Or removes
# it again. Nothing is built or changed before the cluster has been named and found fit.
#
# Usage: hack/install.sh install | uninstall, by `make install IMAGES=...` and `make uninstall`
# Environment: IMAGES        how the nodes get the images: kind, k3s, or a registry that they pull from (registry.example.com/team)
#              PROGRAMS      images of benchmark programs (default: cpu, and cuda where a node offers nvidia.com/gpu)
#              VALUES        a file with values of the chart
#              EVERYTHING=1  uninstall what users have, too: kinds, runs, results, history, and marks on nodes
#              ASSAY_HELM, ASSAY_CRANE   these programs; make builds what is missing
set -euo pipefail

cd "$(dirname "$0")/.."
command="${1:-}" context='' registry=''
release=assay namespace=assay-system
declare -A keys

say() { printf '%s\n' "$*" >&2; }
fail() { say "$command: $*"; exit 1; }
build() { make --no-print-directory "$@"; }

# The context stays that of the start: images take minutes, in which another terminal may choose another cluster.
kubectl() { command kubectl --context "$context" "$@"; }
helm() { "$ASSAY_HELM" --kube-context "$context" --namespace "$namespace" "$@"; }
nodes() { kubectl get nodes -o name | wc -l; }

name_cluster() {
  local server version
  type -P kubectl >/dev/null || fail "there is no kubectl on the PATH"
  context="$(command kubectl config current-context 2>/dev/null)" || fail "kubectl has no current context: choose one by kubectl config use-context NAME"
  version="$(kubectl version 2>/dev/null | sed -n 's/^Server Version: //p')"
  [[ -n $version ]] || fail "the API server of context $context does not answer: kubectl --context $context version says why"
  server="$(kubectl config view --minify -o 'jsonpath={.clusters[0].cluster.server}')"
  say "Context $context: $server, Kubernetes $version, $(nodes) nodes"
  [[ "$(kubectl auth can-i '*' '*' --all-namespaces 2>/dev/null)" == yes ]] || fail "context $context has not all rights, which this takes: use one of a cluster-admin"
}

# How the nodes get the images is settled before any is built.
check_images() {
  case "${IMAGES:-}" in
    kind)
      [[ $context == kind-* ]] || fail "IMAGES=kind, and context $context is of no cluster of kind: kubectl config use-context kind-NAME"
      type -P kind >/dev/null || fail "IMAGES=kind, and there is no kind on the PATH"
      ;;
    k3s)
      type -P k3s >/dev/null || fail "IMAGES=k3s, and there is no k3s on the PATH: run this on the node, or set IMAGES to a registry"
      [[ "$(nodes)" == 1 ]] || fail "IMAGES=k3s imports them on this machine alone, and the cluster has $(nodes) nodes: set IMAGES to a registry"
      ;;
    *)
      registry="${IMAGES:-}" registry="${registry%/}" # as the chart's values.schema.json has it, with a host
      [[ $registry =~ ^([A-Za-z0-9][-A-Za-z0-9._]*(:[0-9]+)?)(/[-a-z0-9._]+)*$ && ${BASH_REMATCH[1]} =~ ^localhost$|[.:] ]] ||
        fail "IMAGES is '${IMAGES:-}', want how the nodes get the images: kind, k3s, or a registry that they pull from, for example registry.example.com/team"
      ;;
  esac
}

choose_programs() {
  local program
  PROGRAMS="${PROGRAMS:-cpu $([[ "$(kubectl get nodes -o 'jsonpath={.items[*].status.allocatable.nvidia\.com/gpu}')" != *[1-9]* ]] || echo cuda)}"
  for program in $PROGRAMS; do
    [[ -e images/bench-$program/Dockerfile ]] || fail "PROGRAMS has '$program', and there is no images/bench-$program"
  done
}

# Builds an image and gives it to the nodes. What its key says is what it was built from.
deliver() { # image
  local archive
  archive="$(build "image-$1" | tail -1)"
  keys[$1]="$(basename "${archive##*-}" .tar)"
  case "$IMAGES" in
    kind) hack/step.sh "deliver-$1" "Loading the image $1 into kind" kind load image-archive "$archive" --name "${context#kind-}" ;;
    k3s) hack/step.sh "deliver-$1" "Importing the image $1 into k3s" k3s ctr images import "$archive" ;;
    *) hack/step.sh "deliver-$1" "Pushing the image $1" hack/images/push.sh "$archive" "$registry/assay/$1:${keys[$1]}" ;;
  esac
}

# In a registry, the tag of an image is its key: no node has an older one by that name. An import replaces the older one, tagged dev; the
# annotation makes the operator's pod a new one.
install_chart() {
  local image tag values=(--set-string "global.imageRegistry=$registry,podAnnotations.image-key=${keys[manager]}-${keys[runner]}")
  [[ -z ${VALUES:-} ]] || values+=(--values "$VALUES")
  for image in "${!keys[@]}"; do
    tag="$([[ -z $registry ]] && echo dev || echo "${keys[$image]}")"
    case "$image" in
      manager) values+=(--set-string "image.tag=$tag") ;;
      runner) values+=(--set-string "runner.image.tag=$tag") ;;
      bench-*) values+=(--set-string "catalogue.images.${image#bench-}.tag=$tag") ;;
    esac
  done
  hack/step.sh install "Installing the chart" \
    "$ASSAY_HELM" --kube-context "$context" --namespace "$namespace" upgrade --install "$release" charts/assay --create-namespace "${values[@]}" --wait --timeout 10m
  kubectl label namespace "$namespace" pod-security.kubernetes.io/enforce=restricted --overwrite >/dev/null # Helm sets none
}

install() {
  local image suite=cpu
  name_cluster
  check_images
  choose_programs
  build -s bin/kubectl-assay "$ASSAY_HELM" ${registry:+"$ASSAY_CRANE"}
  for image in manager runner $(printf 'bench-%s ' $PROGRAMS); do deliver "$image"; done
  install_chart
  bin/kubectl-assay --context "$context" doctor || say "What doctor calls FAIL does not work yet. The rest does."
  [[ " $PROGRAMS " != *" cuda "* ]] || suite=quick
  say "Assay is installed in namespace $namespace of context $context. To start a run:
  export PATH=$PWD/bin:\$PATH
  kubectl assay run --suite $suite --all-nodes --follow"
}

# Taints by which Assay, or a gate, keeps pods off nodes, one on a line: node, key=value:effect.
taints() {
  local node mark taint all
  kubectl get nodes -o 'jsonpath={range .items[*]}{.metadata.name}|{.metadata.annotations.assay\.dev/quarantine}|{range .spec.taints[*]}{.key}={.value}:{.effect} {end}{"\n"}{end}' |
    while IFS='|' read -r node mark all; do
      mark="$(sed -nE 's/.*"key":"([^"]*)"(,"value":"([^"]*)")?,"effect":"([^"]*)".*/\1=\3:\4/p' <<<"$mark")"
      for taint in $all; do
        [[ $taint != assay.dev/* && $taint != "$mark" ]] || echo "$node $taint"
      done
    done
}

tell_what_stays() {
  local kind count rule
  for kind in validationpolicies validationruns validationresults nodevalidations nodehistories benchmarks hardwareprofiles; do
    count="$(kubectl get "$kind" -o name 2>/dev/null | wc -l)"
    ((count == 0)) || say "Stays: $count $kind"
  done
  for rule in $(rules); do say "Stays: $rule, which keeps pods off a GPU: kubectl delete $rule"; done
  taints | while read -r node taint; do
    say "Stays: taint $taint of $node, which keeps pods off it: kubectl taint node $node ${taint%%=*}:${taint##*:}-"
  done
  say "Stays: the kinds, namespace $namespace, and on nodes the label assay.dev/verdict and the condition assay.dev/Validated.
To remove all of that: make uninstall EVERYTHING=1"
}

# Nobody is left to act on runs that wait for the operator to clean up: their pods have gone with their namespace.
forget_users() {
  local run
  for run in $(kubectl get validationruns -o name 2>/dev/null); do
    kubectl patch "$run" --type=merge -p '{"metadata":{"finalizers":null}}' >/dev/null
  done
  kubectl delete --ignore-not-found -f charts/assay/files/crds >&2
  kubectl delete --ignore-not-found namespace "$namespace" >&2
}

# Rules by which Assay keeps claims off GPUs, one on a line; none where the cluster does not know such rules.
rules() { kubectl get devicetaintrules -l app.kubernetes.io/managed-by=assay -o name 2>/dev/null || true; }

forget_nodes() {
  local node taint conditions rule
  for rule in $(rules); do kubectl delete "$rule" >&2; done
  taints | while read -r node taint; do kubectl taint node "$node" "${taint%%=*}:${taint##*:}-" >&2; done
  kubectl label nodes --all assay.dev/verdict- assay.dev/overdue- >/dev/null
  kubectl annotate nodes --all assay.dev/quarantine- assay.dev/gate- >/dev/null
  kubectl get nodes -o 'jsonpath={range .items[*]}{.metadata.name} {.status.conditions[*].type}{"\n"}{end}' |
    while read -r node conditions; do
      [[ " $conditions " != *" assay.dev/Validated "* ]] || kubectl patch node "$node" --subresource=status --type=strategic \
        -p '{"status":{"conditions":[{"type":"assay.dev/Validated","$patch":"delete"}]}}' >/dev/null
    done
}

uninstall() {
  name_cluster
  build -s "$ASSAY_HELM"
  if helm status "$release" >/dev/null 2>&1; then
    hack/step.sh uninstall "Removing the operator" \
      "$ASSAY_HELM" --kube-context "$context" --namespace "$namespace" uninstall "$release" --wait --timeout 10m
  else
    say "There is no release $release in namespace $namespace."
  fi
  if [[ -z ${EVERYTHING:-} ]]; then tell_what_stays; else forget_users; forget_nodes; fi
}

case "$command" in
  install | uninstall) "$command" ;;
  *) say "usage: hack/install.sh install | uninstall"; exit 2 ;;
esac
