# README's three commands on a cluster as somebody else has it: nothing of Assay is there, and the nodes have no image but by pulling it.
# They are read from README, and run on a node, whose localhost is where the registry is.

registry=localhost:5000/team

# What a cluster has that Assay could have left: kinds, what is of no namespace, and what is noted on nodes.
footprint() {
  kubectl get crds,namespaces,clusterroles,clusterrolebindings,priorityclasses,validatingadmissionpolicies,validatingadmissionpolicybindings -o name
  kubectl get nodes -o json | jq -r '.items[] | .metadata.name, (.metadata.labels, .metadata.annotations // {} | keys[]), .spec.taints[]?.key, .status.conditions[].type' |
    grep '^node-\|^assay.dev/'
}

# The commands of the section, and what is looked at between them. Sizes are for a shared machine, and two nodes are too few to be compared, so
# that the run ends without proof either way.
readme_script() {
  echo 'source test/upgrade/steps.sh; source test/upgrade/readme.sh'
  awk '/^## Install$/ {on = 1; next} /^## / {on = 0} on && sub(/^    /, "")' README.md |
    sed -E -e "s#registry.example.com/team#$registry#" \
      -e 's/^kubectl assay run .*/small\n& || [[ $? -eq 2 ]]\nmeasured\nunfit/' \
      -e 's/^make uninstall$/& 2>\&1 | tee "$said"\ntold\nmake uninstall EVERYTHING=1/'
}

readme() {
  local before="$home/before-readme" after="$home/after-readme"
  mkdir -p "$home/bin"
  ln -s "$PWD/bin/kubectl" "$home/bin/kubectl"
  footprint >"$before"
  ip netns exec "assay-$cluster" "$ASSAY_CRANE" registry serve --address "${registry%%/*}" --disk "$(mktemp -d -p "$home")" >/dev/null 2>&1 &
  serve=$!
  readme_script >"$home/readme"
  ip netns exec "assay-$cluster" env -u MAKEFLAGS -u MAKELEVEL PATH="$home/bin:${PATH#*:}" said="$home/said" \
    bash -euo pipefail "$home/readme" >"$home/log" 2>&1 || { cat "$home/log"; fail "README's commands to install"; }
  kill "$serve"
  footprint >"$after"
  diff "$before" "$after" || fail "make uninstall EVERYTHING=1 left or took what differs"
}

small() {
  local patch
  for patch in hpl/0=0.001 dgemm/0=512 dgemm/1=0.5 stream/0=8388608 stream/1=0.5; do
    kubectl patch benchmark "${patch%%/*}" --type=json \
      -p "[{\"op\": \"replace\", \"path\": \"/spec/parameters/$(cut -d= -f1 <<<"${patch#*/}")/default\", \"value\": \"${patch#*=}\"}]"
  done
}

# Each benchmark of the suite has measured both nodes.
measured() {
  local want got
  want="$(kubectl get benchmarks -o json | jq -r '[.items[] | select(.spec.suites // [] | index("cpu")) | .metadata.name] | sort | join(" ")')"
  got="$(kubectl get validationresults -o json | jq -r '.items[] | [.benchmarks[] | select([.attempts[].reason] | index("Measured")) | .name] | sort | join(" ")')"
  [[ $got == "$want"$'\n'"$want" ]] || fail "measured '$got' on the nodes, want '$want' on each"
}

# A bound that no memory reaches, so that a node is tainted.
unfit() {
  kubectl create -f - <<YAML
apiVersion: assay.dev/v1alpha1
kind: ValidationRun
metadata: {name: unfit}
spec:
  nodeNames: [node-2]
  benchmarks: [{name: stream, expectations: [{metric: triad, min: "1000000"}]}]
  confirmations: 1
  onFailure: {taint: {}}
YAML
  kubectl wait --for=condition=Finished --timeout=300s validationrun/unfit
  tainted node-2
}

# What stays is said, and nothing of the operator does.
told() {
  local stays
  for stays in '2 validationruns' '3 validationresults' '2 nodevalidations' 'taint assay.dev/unfit=failed:NoSchedule of node-2'; do
    grep -qF "Stays: $stays" "$said" || fail "make uninstall does not say that these stay: $stays"
  done
  gone deployment/assay-manager
  tainted node-2
}
