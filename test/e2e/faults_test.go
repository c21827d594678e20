//go:build e2e

package e2e_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// scenario is something that goes wrong on one node.
type scenario struct {
	name string
	test func(t *testing.T, node string)
}

// testFaults runs what can go wrong in lanes: each lane has a node of its own, and its scenarios follow each other.
// Nothing in it says that a node is slow, so that no scenario changes what is said of one. The lanes take about as long as each other.
func testFaults(t *testing.T) {
	lane(t, "node-1",
		scenario{"a program that ends badly is told from one that is slow", testPrograms},
		scenario{"two runs take turns on a node", testTurns},
		scenario{"a run suspended in mid-run goes on later", testSuspended},
		scenario{"a benchmark that comes later than the run", testUnknownBenchmark},
		scenario{"a run without nodes is over at once", testNoNodes},
		scenario{"a node without the device is skipped", testNeedsNotMet}, // at once, as its kubelet has run for minutes
	)
	lane(t, "node-2",
		scenario{"a node that loses its power in mid-run", testPoweredOff},
		scenario{"the deadline ends a run", testDeadline},
		scenario{"a run deleted in mid-run leaves nothing", testDeleted},
		scenario{"a cordoned node is skipped", testCordoned},
	)
	lane(t, "node-3",
		scenario{"an image that cannot be pulled", testNoImage},
		scenario{"the scheduler and the kubelet hand out devices one by one", testDevices},
		scenario{"a node whose GPUs are claimed", testClaimed},
		scenario{"one slow GPU of eight is out of service", testGPUOut},
	)
	t.Run(newcomer, func(t *testing.T) {
		t.Parallel()
		testGate(t)
	})
	// What needs two nodes waits for a minute without any work, and so does a kubelet that has died: there is room for both beside the other lanes.
	t.Run("node-4 and "+spare, func(t *testing.T) {
		t.Parallel()
		join(t, spare)
		t.Run("an MPI Operator that is away is named", func(t *testing.T) { testOperatorAway(t, "node-4", spare) })
		lane(t, "node-4",
			scenario{"a node whose devices are in use is skipped or waited for", testBusy},
			scenario{"a pod that somebody deletes is started again", testPodDeleted},
			scenario{"a node deleted in mid-run", testNodeDeleted},
		)
		lane(t, spare, scenario{"a node whose kubelet dies while its program runs on", testCutOff})
	})
	t.Run("karpenter", testKarpenter) // on nodes of its own, and mostly waiting, too
}

// lane runs scenarios on one node, beside the other lanes. After each, the node carries what it carried before.
func lane(t *testing.T, node string, scenarios ...scenario) {
	t.Run(node, func(t *testing.T) {
		t.Parallel()
		if marksOf(getNode(t, node)).Condition != markedPassed.Condition {
			passes(t, "before-"+node, node)
		}
		for _, s := range scenarios {
			t.Run(s.name, func(t *testing.T) {
				readyAgain(t, node)
				before := foreignOf(t, node)
				s.test(t, node)
				eventually(t, "the node to be as it was", func(context.Context) (bool, string) {
					diff := cmp.Diff(before, foreignOf(t, node))
					return diff == "", diff
				})
				checkMarks(t, node, markedPassed)
			})
		}
	})
}

func testPrograms(t *testing.T, node string) {
	type want struct {
		row     string
		message string
	}
	for benchmark, want := range map[string]want{
		"silent":         {"Error/NoOutput", "silent: "},
		"failing":        {"Error/ProgramFailed", "exited with code 1"},
		"garbled":        {"Error/BadOutput", "garbled: "},
		"chatty":         {"Error/OutputTooLarge", "more than"},
		"greedy":         {"Error/OOMKilled", "memory"},
		"too-large":      {"Error/CannotRunHere", "do not fit into the usable memory"},
		"endless":        {"Error/TimedOut", "did not end within 2s"},
		"no-program":     {"Error/PodStartFailed", `no program "no-such-program"`},
		"bad-image-name": {"Error/ImagePullFailed", "localhost/Assay/Bench:dev"},
	} {
		t.Run(benchmark, func(t *testing.T) {
			run := tainting(newRun("program-"+benchmark, []string{node}, benchmark), 1)
			create(t, run)
			finish(t, run)
			checkSummary(t, run, inconclusive(each([]string{node}, want.row)))
			checkMessage(t, run, node, want.message)
			r := resultsOf(t, run)[node]
			if diff := cmp.Diff(map[string][]string{benchmark: {want.row}}, attemptsOf(r)); diff != "" {
				t.Errorf("stored attempts (-want +got):\n%s", diff)
			}
		})
	}
}

func testDeadline(t *testing.T, node string) {
	run := withDeadline(lasting(newRun("deadline", []string{node}, "slow-rate"), 600), 5)
	create(t, run)
	finish(t, run)
	checkSummary(t, run, ended(v1alpha1.VerdictInconclusive, v1alpha1.ReasonDeadlineExceeded, each([]string{node}, "Missing/DeadlineExceeded")))
	checkMessage(t, run, node, "activeDeadlineSeconds (5)")
	c := meta.FindStatusCondition(run.Status.Conditions, v1alpha1.ConditionFinished)
	if took := c.LastTransitionTime.Sub(run.Status.StartTime.Time); took < 5*time.Second {
		t.Errorf("finished %s after it started", took)
	}
}

func testDeleted(t *testing.T, node string) {
	run := tainting(lasting(newRun("deleted", []string{node}, "slow-rate"), 600), 1)
	create(t, run)
	running(t, run)
	kubectl(t, "delete", "validationrun", run.Name, "--timeout=300s")
	if left := podsOf(t, run); len(left) > 0 {
		t.Errorf("the run is gone and has %d pods", len(left))
	}
	if err := api.Get(t.Context(), client.ObjectKeyFromObject(run), run); !apierrors.IsNotFound(err) {
		t.Errorf("the run is still there: %v", err)
	}
	eventually(t, "the results to be collected", func(context.Context) (bool, string) {
		return len(resultsOf(t, run)) == 0, "there are some"
	})
}

func testSuspended(t *testing.T, node string) {
	run := lasting(newRun("suspended", []string{node}, "slow-rate"), 600)
	create(t, run)
	running(t, run)
	suspend(t, run, true)
	until(t, run, "to be Suspended", func(r *v1alpha1.ValidationRun) bool {
		return meta.IsStatusConditionTrue(r.Status.Conditions, v1alpha1.ConditionSuspended)
	})
	noPods(t, run)
	got := summaryOf(run)
	if diff := cmp.Diff(map[string]string{"Finished": "False/Suspended", "Succeeded": "Unknown/Suspended", "Suspended": "True/Suspended"},
		got.Conditions); diff != "" || got.Verdict != v1alpha1.VerdictPending {
		t.Errorf("verdict %s, conditions (-want +got):\n%s", got.Verdict, diff)
	}
	suspend(t, run, false)
	wake(t, run)
	checkSummary(t, run, passed(node))
	if diff := cmp.Diff(map[string][]string{"slow-rate": {"Pass/Measured"}}, attemptsOf(resultsOf(t, run)[node])); diff != "" {
		t.Errorf("stored attempts (-want +got):\n%s", diff)
	}
}

func suspend(t *testing.T, run *v1alpha1.ValidationRun, on bool) {
	t.Helper()
	before := run.DeepCopy()
	run.Spec.Suspend = on
	if err := api.Patch(t.Context(), run, client.MergeFrom(before)); err != nil {
		t.Fatalf("setting suspend of run %s to %v: %v", run.Name, on, err)
	}
}

func testNoNodes(t *testing.T, _ string) {
	run := newRun("no-nodes", nil, "rate")
	run.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"example.com/no": "such"}}
	create(t, run)
	finish(t, run)
	checkSummary(t, run, ended(v1alpha1.VerdictInconclusive, v1alpha1.ReasonNoMatchingNodes, nil))

	run = newRun("no-such-node", []string{"node-99"}, "rate")
	create(t, run)
	finish(t, run)
	checkSummary(t, run, inconclusive(each([]string{"node-99"}, "Error/NodeNotFound")))
	checkMessage(t, run, "node-99", "start another run with the right spec.nodeNames")
}

func testNoImage(t *testing.T, node string) {
	run := newRun("no-image", []string{node}, "no-image")
	create(t, run)
	finish(t, run)
	checkSummary(t, run, inconclusive(each([]string{node}, "Error/ImagePullFailed")))
	checkMessage(t, run, node, "localhost:1/assay/none:dev", "check the Benchmark's image")
	event(t, node, v1alpha1.ReasonNodeNotMeasured, "run no-image could not measure the node: no-image: ")
}

func testUnknownBenchmark(t *testing.T, node string) {
	run := newRun("unknown", []string{node}, "late-rate")
	create(t, run)
	until(t, run, "to be Stalled", func(r *v1alpha1.ValidationRun) bool {
		return meta.IsStatusConditionTrue(r.Status.Conditions, v1alpha1.ConditionStalled)
	})
	checkSummary(t, run, summary{Verdict: v1alpha1.VerdictPending, Rows: map[string]string{},
		Conditions: map[string]string{"Finished": "False/Invalid", "Succeeded": "False/Invalid", "Stalled": "True/Invalid"}})

	rate, late := &v1alpha1.Benchmark{}, &v1alpha1.Benchmark{}
	if err := api.Get(t.Context(), client.ObjectKey{Name: "rate"}, rate); err != nil {
		t.Fatal(err)
	}
	late.Name, late.Spec = "late-rate", rate.Spec
	if err := api.Create(t.Context(), late); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = api.Delete(context.Background(), late) })
	finish(t, run)
	checkSummary(t, run, passed(node))
}

func testPodDeleted(t *testing.T, node string) {
	run := lasting(newRun("pod-deleted", []string{node}, "slow-rate"), 600)
	create(t, run)
	first := running(t, run)
	kubectl(t, "-n", benchmarkNamespace, "delete", "pod", first.Name)
	wake(t, run)
	checkSummary(t, run, passed(node))
	b := resultsOf(t, run)[node].Benchmarks[0]
	if len(b.Attempts) != 1 || b.Attempts[0].PodUID == first.UID {
		t.Errorf("attempts %+v, pod deleted %s", b.Attempts, first.UID)
	}
}

func testCordoned(t *testing.T, node string) {
	t.Cleanup(func() { _, _ = try("kubectl", "uncordon", node) })
	kubectl(t, "cordon", node)
	run := newRun("cordoned", []string{node}, "rate")
	create(t, run)
	finish(t, run)
	checkSummary(t, run, inconclusive(each([]string{node}, "Skipped/NodeCordoned")))
	if !getNode(t, node).Spec.Unschedulable {
		t.Error("the node is not cordoned any more")
	}
	kubectl(t, "uncordon", node)
	readyAgain(t, node)
}

func testNeedsNotMet(t *testing.T, node string) {
	run := newRun("needs-not-met", []string{node}, "device-rate")
	create(t, run)
	finish(t, run)
	checkSummary(t, run, inconclusive(each([]string{node}, "Skipped/NeedsNotMet")))
	checkMessage(t, run, node, "needs 1 example.com/gpu, and the node offers 0")
	// Beside a benchmark that can run, it does not stand in the way.
	run = newRun("needs-partly-met", []string{node}, "device-rate", "rate")
	create(t, run)
	finish(t, run)
	checkSummary(t, run, passed(node))
	checkMessage(t, run, node, "skipped: device-rate")
}

func testTurns(t *testing.T, node string) {
	first := lasting(newRun("turn-first", []string{node}, "slow-rate"), 600)
	create(t, first)
	running(t, first)
	second := newRun("turn-second", []string{node}, "rate")
	create(t, second)
	until(t, second, "to wait", func(r *v1alpha1.ValidationRun) bool {
		return summaryOf(r).Rows[node] == "Pending/Waiting"
	})
	checkMessage(t, second, node, "waiting for run turn-first, which is measuring this node")
	wake(t, first)
	checkSummary(t, first, passed(node))
	finish(t, second)
	checkSummary(t, second, passed(node))
}

func testPoweredOff(t *testing.T, node string) {
	run := tainting(lasting(newRun("powered-off", []string{node}, "slow-rate"), 600), 1)
	create(t, run)
	running(t, run)
	t.Cleanup(func() { _, _ = try("clusterctl", "--name", clusterName, "node-start", node) })
	clusterctl(t, "node-stop", "--power-off", node)
	finish(t, run)
	checkSummary(t, run, inconclusive(each([]string{node}, "Error/NodeNotReady")))
	checkMessage(t, run, node, "the node has not been Ready since", "repair it, then start another run")
	clusterctl(t, "node-start", node)
	readyAgain(t, node)
	passes(t, "powered-on", node)
}

// testCutOff: whoever comes next waits until the kubelet is back and has ended the program. That no two pods held the node is for the ledger
// to tell; that the first one is not forgotten while its program runs is for this.
func testCutOff(t *testing.T, node string) {
	first := tainting(lasting(newRun("cut-off", []string{node}, "slow-rate"), 600), 1)
	create(t, first)
	running(t, first)
	t.Cleanup(func() { _, _ = try("clusterctl", "--name", clusterName, "node-start", node) })
	clusterctl(t, "node-stop", node)
	finish(t, first)
	checkSummary(t, first, inconclusive(each([]string{node}, "Error/NodeNotReady")))
	c := meta.FindStatusCondition(first.Status.Conditions, v1alpha1.ConditionFinished)
	if left := podsOf(t, first); len(left) != 1 || !strings.Contains(c.Message, left[0].Name+" stays on node "+node) {
		t.Errorf("%d pods hold the node on which the program runs, want 1; the run says %q", len(left), c.Message)
	}
	clusterctl(t, "node-start", node)
	readyAgain(t, node)
	passes(t, "cut-off-after", node)
	noPods(t, first)
}

func testNodeDeleted(t *testing.T, node string) {
	run := tainting(lasting(newRun("node-deleted", []string{node}, "slow-rate"), 600), 1)
	create(t, run)
	running(t, run)
	t.Cleanup(func() { _, _ = try("clusterctl", "--name", clusterName, "node-start", node) })
	clusterctl(t, "node-stop", node)
	kubectl(t, "delete", "node", node)
	finish(t, run)
	checkSummary(t, run, inconclusive(each([]string{node}, "Error/NodeDeleted")))
	checkMessage(t, run, node, "the node was deleted during the run")
	clusterctl(t, "node-start", node)
	readyAgain(t, node)
	checkMarks(t, node, marks{})
	passes(t, "node-registered", node)
}
