//go:build e2e

package e2e_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// testFleet: what needs all nodes, or stops the operator. Nothing is measured for its speed, and nothing runs beside it.
func testFleet(t *testing.T) {
	t.Run("a baseline that no node can reach taints nobody", testBreaker)
	t.Run("the operator dies in mid-run and each attempt runs once", testCrash)
	t.Run("a node is re-created while the operator is away", testRecreated)
}

func testBreaker(t *testing.T) {
	before := allMarks(t)
	run := tainting(newRun("breaker", nodes, "rate"), 1)
	run.Spec.Benchmarks[0].Expectations = []v1alpha1.ExpectationOverride{
		{Metric: "rate", Expectation: v1alpha1.Expectation{Min: "100"}},
	}
	create(t, run)
	finish(t, run)
	checkSummary(t, run, ended(v1alpha1.VerdictInconclusive, v1alpha1.ReasonBreakerOpen, each(nodes, "Fail/BelowExpectation")))
	checkMessage(t, run, "node-1", "rate 42 GB/s: bound 100 GB/s", "confirmed: mean of 2 measurements")
	for name, r := range resultsOf(t, run) {
		if diff := cmp.Diff(map[string][]string{"rate": {"Pass/Measured", "Pass/Measured"}}, attemptsOf(r)); diff != "" {
			t.Errorf("attempts on %s (-want +got):\n%s", name, diff)
		}
	}
	if diff := cmp.Diff(before, allMarks(t)); diff != "" {
		t.Errorf("marks of the nodes (-before +after):\n%s", diff)
	}
	event(t, run.Name, v1alpha1.ReasonBreakerOpen, "4 of 4")
}

func testCrash(t *testing.T) {
	run := lasting(newRun("crash", nodes, "slow-rate"), 600)
	run.Spec.MaxConcurrentNodes = new(intstr.FromInt32(2))
	create(t, run)
	running(t, run)
	leader := func() string {
		holder, _ := try("kubectl", "-n", "assay-system", "get", "lease", "manager.assay.dev", "-o", "jsonpath={.spec.holderIdentity}")
		return holder
	}
	dead := leader()
	kubectl(t, "-n", "assay-system", "delete", "pod", "--all", "--grace-period=0", "--force")
	eventually(t, "another operator to lead", func(context.Context) (bool, string) {
		now := leader()
		return now != "" && now != dead, fmt.Sprintf("%q leads, and %q did", now, dead)
	})
	wake(t, run)
	checkSummary(t, run, passed(nodes...))
	once := map[string]int{}
	for _, n := range nodes {
		once[n+"/slow-rate/1"] = 1
		checkMarks(t, n, markedPassed)
	}
	if diff := cmp.Diff(once, launched.of(run.Name)); diff != "" {
		t.Errorf("pods of each attempt (-want +got):\n%s", diff)
	}
}

func testRecreated(t *testing.T) {
	const node = "node-3"
	run := tainting(lasting(newRun("recreated", []string{node}, "slow-rate"), 600), 1)
	create(t, run)
	running(t, run)
	old := getNode(t, node).UID

	scaleManager(t, "0")
	t.Cleanup(func() {
		_, _ = try("kubectl", "-n", "assay-system", "scale", "deployment/assay-manager", "--replicas=1")
	})
	recreateNode(t, node)
	if getNode(t, node).UID == old {
		t.Fatal("the node is still the old one")
	}
	if len(podsOf(t, run)) == 0 {
		t.Fatal("the node was away for so long that its pod was collected: the operator cannot know of it")
	}
	scaleManager(t, "1")

	finish(t, run)
	checkSummary(t, run, inconclusive(each([]string{node}, "Error/NodeRecreated")))
	checkMessage(t, run, node, "the node was re-created during the run", "start another run")
	checkMarks(t, node, marks{})
	passes(t, "recreated-again", node)
}

func scaleManager(t *testing.T, replicas string) {
	t.Helper()
	kubectl(t, "-n", "assay-system", "scale", "deployment/assay-manager", "--replicas="+replicas)
	if replicas != "0" {
		kubectl(t, "-n", "assay-system", "rollout", "status", "deployment/assay-manager", "--timeout=300s")
		return
	}
	kubectl(t, "-n", "assay-system", "wait", "--for=delete", "pod", "--all", "--timeout=300s")
}

// recreateNode deletes a Node, whose kubelet then registers it anew. Its pods run on meanwhile.
func recreateNode(t *testing.T, node string) {
	t.Helper()
	t.Cleanup(func() { _, _ = try("clusterctl", "--name", clusterName, "node-start", node) })
	clusterctl(t, "node-stop", node)
	kubectl(t, "delete", "node", node)
	clusterctl(t, "node-start", node)
	readyAgain(t, node)
}

// readyAgain waits until nothing keeps pods off a node.
func readyAgain(t *testing.T, node string) {
	t.Helper()
	eventually(t, node+" to take pods", func(context.Context) (bool, string) {
		for _, taint := range getNode(t, node).Spec.Taints {
			if !ours(taint) {
				return false, "it has taint " + taint.ToString()
			}
		}
		return true, ""
	})
}

// passes proves by a run of its own that a node can be measured again.
func passes(t *testing.T, name, node string) {
	t.Helper()
	run := newRun(name, []string{node}, "rate")
	create(t, run)
	finish(t, run)
	checkSummary(t, run, passed(node))
	checkMarks(t, node, markedPassed)
}
