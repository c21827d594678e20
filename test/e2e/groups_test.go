//go:build e2e

package e2e_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// testNetwork: pairs of nodes over real, and really limited, links. What they measure is a speed, so nothing else runs meanwhile.
func testNetwork(t *testing.T) {
	// Without a limit the nodes' network is as fast as this machine's processor just then.
	t.Cleanup(func() {
		for _, n := range nodes {
			_, _ = try("clusterctl", "--name", clusterName, "net", "restore", "--node", n)
		}
	})
	for _, n := range nodes {
		limitNetwork(t, "--node", n, "--rate", "100mbit")
	}
	withOperator(t, "a node whose network is slow is blamed", testSlowNetwork)
	withOperator(t, "once it is fast it is cleared, while a slow link is named and no node is blamed for it", testSlowLink)
	withOperator(t, "two nodes pass by the rate of their fabric alone", testFabric)
}

// testGroups: benchmarks over several nodes, through the real MPI Operator.
func testGroups(t *testing.T) {
	withOperator(t, "HPL over all nodes as one job", testHPLOverAll)
	withOperator(t, "in mid-job", func(t *testing.T) {
		t.Run("of two nodes", func(t *testing.T) {
			t.Parallel()
			t.Run("a worker that dies ends the attempt", testWorkerDies)
			t.Run("the next job's result is the published one", testNPB)
		})
		t.Run("a launcher that hangs is stopped", func(t *testing.T) { t.Parallel(); testLauncherHangs(t) })
	})
	nothingOfJobs(t)
	withOperator(t, "a job that the operator cannot make is told by its own words", testJobRejected)
}

// withOperator runs a test with an MPI Operator: where the API server is slow for five seconds, it loses its lease and ends.
func withOperator(t *testing.T, name string, test func(*testing.T)) {
	t.Helper()
	clusterctl(t, "mpi-operator", "start")
	t.Run(name, test)
}

// slowNode is the one whose network is slow, until its taint is lifted.
const slowNode = "node-3"

func testSlowNetwork(t *testing.T) {
	limitNetwork(t, "--node", slowNode, "--rate", "25mbit")
	run := tainting(newRun("slow-network", nodes, "pairs"), 1)
	create(t, run)
	finish(t, run)
	rows := each(nodes, "Pass/Passed")
	rows[slowNode] = "Fail/BelowExpectation"
	checkSummary(t, run, ended(v1alpha1.VerdictFail, v1alpha1.ReasonNodesFailed, rows))
	checkMessage(t, run, slowNode, "bandwidth", "below typical", "confirmed")
	for _, n := range nodes {
		want := markedPassed
		if n == slowNode {
			want = markedUnfit
		}
		checkMarks(t, n, want)
	}
	nothingOfJobs(t)
}

func testSlowLink(t *testing.T) {
	limitNetwork(t, "--node", slowNode, "--rate", "100mbit")
	limitNetwork(t, "--node", "node-2", "--to", "node-4", "--rate", "25mbit")
	run := tainting(newRun("slow-link", nodes, "pairs"), 1)
	create(t, run)
	finish(t, run)
	checkSummary(t, run, ended(v1alpha1.VerdictFail, v1alpha1.ReasonGroupsFailed, each(nodes, "Pass/Passed")))
	var found []string
	for _, f := range run.Status.Findings {
		found = append(found, f.Kind+" "+strings.Join(f.Members, " "))
	}
	if len(found) != 1 || found[0] != "Link node-2 node-4" {
		t.Errorf("findings %q, want the link between node-2 and node-4: %+v", found, run.Status.Findings)
	}
	for _, n := range nodes {
		checkMarks(t, n, markedPassed)
	}
	if report := tool(t, "kubectl-assay", "report", run.Name); !strings.Contains(report, "Link node-2, node-4") {
		t.Errorf("the report does not name the link:\n%s", report)
	}
}

func testHPLOverAll(t *testing.T) {
	run := newRun("hpl-over-all", nodes, "hpl-all")
	create(t, run)
	finish(t, run)
	checkSummary(t, run, passed(nodes...))
	groups := groupsOf(t, run)
	if len(groups) != 1 || len(groups[0].Group.Nodes) != len(nodes) {
		t.Fatalf("%d group results, want one of all nodes: %+v", len(groups), groups)
	}
	attempt := groups[0].Benchmarks[0].Attempts[0]
	if len(attempt.Checks) == 0 || !attempt.Checks[0].OK {
		t.Errorf("checks of HPL: %+v, want the residual PASSED", attempt.Checks)
	}
	nothingOfJobs(t)
}

func testWorkerDies(t *testing.T) {
	run := newRun("worker-dies", nodes[:2], "long-pair")
	create(t, run)
	launcherRuns(t, run)
	workers := podsOfRole(t, run, v1alpha1.JobRoleWorker)
	kubectl(t, "-n", benchmarkNamespace, "delete", "pod", workers[0].Name, "--wait=false")
	finish(t, run)
	checkSummary(t, run, inconclusive(each(nodes[:2], "Error/WorkerLost")))
	checkMessage(t, run, nodes[0], "was lost before the measurement was done")
}

// testNPB runs an entry of the catalogue as it stands, over the network and on all cores. It takes no time of its own: testLauncherHangs, on
// the other nodes, waits longer.
func testNPB(t *testing.T) {
	run := newRun("npb-over-two", nodes[:2], "npb-is")
	run.Spec.Benchmarks[0].Parameters = []v1alpha1.ParameterValue{{Name: "class", Value: "S"}, {Name: "runs", Value: "1"}}
	run.Spec.Benchmarks[0].Expectations = []v1alpha1.ExpectationOverride{{Metric: "operationRate", Expectation: v1alpha1.Expectation{Min: "0.01"}}} // else nothing judges it
	create(t, run)
	finish(t, run)
	checkSummary(t, run, passed(nodes[:2]...))
	groups := groupsOf(t, run)
	if len(groups) != 2 {
		t.Fatalf("%d group results, want those of two nodes and of one, for the curve: %+v", len(groups), groups)
	}
	for _, group := range groups {
		checks := group.Benchmarks[0].Attempts[0].Checks
		if len(checks) != 1 || !checks[0].OK || !strings.Contains(checks[0].Message, "all keys are in order") {
			t.Errorf("checks of IS on %d nodes: %+v, want the published ranks of its keys", len(group.Group.Nodes), checks)
		}
	}
}

func testLauncherHangs(t *testing.T) {
	run := newRun("launcher-hangs", nodes[2:], "hanging-pair")
	create(t, run)
	finish(t, run)
	checkSummary(t, run, inconclusive(each(nodes[2:], "Error/TimedOut")))
	checkMessage(t, run, nodes[2], "did not end within 15s")
}

func testJobRejected(t *testing.T) {
	quota := &corev1.ResourceQuota{}
	quota.Name, quota.Namespace = "no-pods", benchmarkNamespace
	quota.Spec.Hard = corev1.ResourceList{corev1.ResourcePods: resource.MustParse("0")}
	if err := api.Create(t.Context(), quota); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = api.Delete(context.Background(), quota) })
	eventually(t, "the quota to be in force", func(ctx context.Context) (bool, string) {
		err := api.Get(ctx, client.ObjectKeyFromObject(quota), quota)
		return err == nil && len(quota.Status.Hard) > 0, fmt.Sprint(err)
	})
	run := newRun("rejected", nodes[:2], "long-pair")
	create(t, run)
	finish(t, run)
	checkSummary(t, run, inconclusive(each(nodes[:2], "Error/MPIJobRejected")))
	checkMessage(t, run, nodes[0], "exceeded quota")
	nothingOfJobs(t)
}

// testOperatorAway is one of the faults: nothing is measured, and no other lane has an MPIJob.
func testOperatorAway(t *testing.T, pair ...string) {
	clusterctl(t, "mpi-operator", "stop")
	t.Cleanup(func() { _, _ = try("clusterctl", "--name", clusterName, "mpi-operator", "start") })
	run := newRun("operator-away", pair, "hanging-pair")
	create(t, run)
	finish(t, run)
	checkSummary(t, run, inconclusive(each(pair, "Error/MPIOperatorSilent")))
	checkMessage(t, run, pair[0], "look at the MPI Operator")
	clusterctl(t, "mpi-operator", "start")
	nothingOfJobs(t)
}

func limitNetwork(t *testing.T, args ...string) {
	t.Helper()
	clusterctl(t, append([]string{"net", "limit"}, args...)...)
}

func groupsOf(t *testing.T, run *v1alpha1.ValidationRun) []v1alpha1.ValidationResult {
	t.Helper()
	var list v1alpha1.ValidationResultList
	if err := api.List(t.Context(), &list, client.MatchingLabels{v1alpha1.LabelRunUID: string(run.UID)}); err != nil {
		t.Fatal(err)
	}
	var out []v1alpha1.ValidationResult
	for _, r := range list.Items {
		if r.Group != nil {
			out = append(out, r)
		}
	}
	return out
}

func podsOfRole(t *testing.T, run *v1alpha1.ValidationRun, role string) []corev1.Pod {
	t.Helper()
	var out []corev1.Pod
	for _, p := range podsOf(t, run) {
		if p.Labels[v1alpha1.LabelJobRole] == role {
			out = append(out, p)
		}
	}
	return out
}

func launcherRuns(t *testing.T, run *v1alpha1.ValidationRun) {
	t.Helper()
	eventually(t, "a running launcher of run "+run.Name, func(context.Context) (bool, string) {
		for _, p := range podsOfRole(t, run, v1alpha1.JobRoleLauncher) {
			if p.Status.Phase == corev1.PodRunning {
				return true, ""
			}
		}
		return false, fmt.Sprintf("%d pods", len(podsOf(t, run)))
	})
}

// nothingOfJobs waits until no MPIJob is left, nor anything that the MPI Operator made for one.
func nothingOfJobs(t *testing.T) {
	t.Helper()
	eventually(t, "everything of the MPIJobs to go", func(ctx context.Context) (bool, string) {
		for _, kind := range []schema.GroupVersionKind{
			{Group: "kubeflow.org", Version: "v2beta1", Kind: "MPIJob"}, {Group: "batch", Version: "v1", Kind: "Job"},
			{Version: "v1", Kind: "Pod"}, {Version: "v1", Kind: "Service"}, {Version: "v1", Kind: "Secret"}, {Version: "v1", Kind: "ConfigMap"},
		} {
			list := &unstructured.UnstructuredList{}
			list.SetGroupVersionKind(kind)
			if err := api.List(ctx, list, client.InNamespace(benchmarkNamespace)); err != nil && !meta.IsNoMatchError(err) {
				return false, err.Error()
			}
			for _, o := range list.Items {
				// In other lanes there are pods of no job; finish looks for those of a run.
				ofNoJob := kind.Kind == "Pod" && o.GetLabels()[v1alpha1.LabelJob] == ""
				if o.GetName() != "kube-root-ca.crt" && !ofNoJob {
					return false, fmt.Sprintf("%s %s is left", kind.Kind, o.GetName())
				}
			}
		}
		return true, ""
	})
}
