//go:build e2e

package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// Nodes that join beside the four that the cluster was made with.
const (
	newcomer = "node-5"
	spare    = "node-6"
)

const gateKey = "assay.dev/unvalidated"

// testGate: a fifth node joins, by a kubelet of its own. It is one of the lanes of testFaults: nobody else runs anything there.
func testGate(t *testing.T) {
	t.Run("a new node takes no work before it has passed", testGateOpens)
	t.Run("a new node that fails is never let in", testGateStaysClosed)
}

// testGateOpens: the kubelet registers its node with the taint, as config/samples/gate/kubelet.yaml has it. Two real benchmarks measure the
// node, and one that sleeps until what is told of a gated node was seen.
func testGateOpens(t *testing.T) {
	policy := gatePolicy(t, "kubelet.yaml", "1")
	policy.Spec.Benchmarks = append(policy.Spec.Benchmarks, v1alpha1.BenchmarkRef{Name: "slow-rate", Parameters: []v1alpha1.ParameterValue{{Name: "seconds", Value: "600"}}})
	enforce(t, policy)
	holds(t, policy, "to have no node", "Unknown/NoNodes", v1alpha1.PolicyNodes{})
	work := waitingPod(t, policy.Spec.Selector.MatchLabels)
	join(t, newcomer, "--label", "pool=h200", "--taint", gateKey+"=pending:NoSchedule")

	run := runOf(t, policy)
	until(t, run, "to have its last program running", func(r *v1alpha1.ValidationRun) bool {
		pods := podsOf(t, r)
		return len(pods) == 1 && pods[0].Labels[v1alpha1.LabelBenchmark] == "slow-rate" && pods[0].Status.Phase == corev1.PodRunning
	})
	if got := run.Status.Nodes; len(got) != 1 || got[0].Name != newcomer || run.Labels[v1alpha1.LabelPolicyReason] != v1alpha1.ReasonNeverValidated {
		t.Errorf("run %s with labels %v is over %+v, want %s, which was never validated", run.Name, run.Labels, got, newcomer)
	}
	holds(t, policy, "to have a gated node", "False/NodesNotValid", v1alpha1.PolicyNodes{Selected: 1, Due: 1, Validating: 1, Gated: 1})
	keptOff(t, work)
	event(t, newcomer, v1alpha1.ReasonGateClosed, "gate "+gateKey+" is closed until the node holds a valid pass of policy "+policy.Name)
	wake(t, run)

	eventually(t, "the pod to run", func(ctx context.Context) (bool, string) {
		err := api.Get(ctx, client.ObjectKeyFromObject(work), work)
		return err == nil && work.Status.Phase == corev1.PodRunning, fmt.Sprintf("%s %+v %v", work.Status.Phase, work.Status.Conditions, err)
	})
	node := getNode(t, newcomer)
	checkMarks(t, newcomer, markedPassed)
	var record struct {
		Policy, Run, By string
		OpenedAt        time.Time
	}
	if err := json.Unmarshal([]byte(node.Annotations[v1alpha1.AnnotationGate]), &record); err != nil ||
		record.Policy != policy.Name || record.Run != run.Name || record.By != "assay" {
		t.Errorf("annotation %s is %q, want policy %s, run %s, by assay; %v", v1alpha1.AnnotationGate, node.Annotations[v1alpha1.AnnotationGate], policy.Name, run.Name, err)
	}
	if started := work.Status.StartTime; started == nil || started.Time.Before(record.OpenedAt.Truncate(time.Second)) {
		t.Errorf("the pod started at %v, and the gate was opened at %v", started, record.OpenedAt)
	}
	holds(t, policy, "to be satisfied", "True/AllValid", v1alpha1.PolicyNodes{Selected: 1, Valid: 1})
	event(t, newcomer, v1alpha1.ReasonGateOpened, "opened gate "+gateKey)
	event(t, policy.Name, v1alpha1.ReasonRunCreated, run.Name)

	clusterctl(t, "node-stop", newcomer) // a kubelet that starts anew registers no taints
	clusterctl(t, "node-start", newcomer)
	checkMarks(t, newcomer, markedPassed)
	leave(t)
	holds(t, policy, "to have no node", "Unknown/NoNodes", v1alpha1.PolicyNodes{})
}

// testGateStaysClosed: the API server gives the node the taint, as config/samples/gate/admission.yaml has it, and the node is too slow.
func testGateStaysClosed(t *testing.T) {
	admission := filepath.Join(root, "config", "admission", "gate")
	t.Cleanup(func() { _, _ = try("kubectl", "delete", "-k", admission, "--ignore-not-found") })
	kubectl(t, "apply", "-k", admission)
	policy := gatePolicy(t, "admission.yaml", "100000")
	policy.Spec.Run.Confirmations = new(int32(1))
	enforce(t, policy)
	work := waitingPod(t, policy.Spec.Selector.MatchLabels)
	eventually(t, "the API server to gate new nodes", func(ctx context.Context) (bool, string) {
		probe := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "probe", Labels: policy.Spec.Selector.MatchLabels}}
		err := api.Create(ctx, probe, client.DryRunAll)
		return err == nil && len(marksOf(probe).Taints) == 1, fmt.Sprintf("%v %v", probe.Spec.Taints, err)
	})
	join(t, newcomer, "--label", "assay.dev/gated=true")

	run := runOf(t, policy)
	finish(t, run)
	checkSummary(t, run, ended(v1alpha1.VerdictFail, v1alpha1.ReasonNodesFailed, map[string]string{newcomer: "Fail/BelowExpectation"}))
	holds(t, policy, "to have a node that failed", "False/NodesNotValid", v1alpha1.PolicyNodes{Selected: 1, Failed: 1, Gated: 1})
	checkMarks(t, newcomer, marks{Taints: []string{gateKey + "=pending:NoSchedule"}}) // the bound is the policy's own: to others it says nothing
	event(t, newcomer, v1alpha1.ReasonGateKept, "gate "+gateKey+" stays closed")
	keptOff(t, work)
	leave(t)
}

// gatePolicy is a policy of config/samples/gate that asks two real benchmarks for so much, whatever the others reach.
func gatePolicy(t *testing.T, file, least string) *v1alpha1.ValidationPolicy {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "config", "samples", "gate", file))
	if err != nil {
		t.Fatal(err)
	}
	policy := &v1alpha1.ValidationPolicy{}
	if err := yaml.UnmarshalStrict(text, policy); err != nil {
		t.Fatalf("reading %s: %v", file, err)
	}
	policy.Name = "gate" // nobody else applies one of this name meanwhile
	policy.Spec.Suite = ""
	expect := func(benchmark, metric string, parameters ...v1alpha1.ParameterValue) v1alpha1.BenchmarkRef {
		return v1alpha1.BenchmarkRef{Name: benchmark, Parameters: parameters,
			Expectations: []v1alpha1.ExpectationOverride{{Metric: metric, Expectation: v1alpha1.Expectation{Min: v1alpha1.Decimal(least)}}}}
	}
	policy.Spec.Benchmarks = []v1alpha1.BenchmarkRef{expect("small-dgemm", "dgemm"),
		expect("stream", "triad", v1alpha1.ParameterValue{Name: "bytes", Value: "67108864"}, v1alpha1.ParameterValue{Name: "seconds", Value: "0.5"})}
	return policy
}

// enforce creates the policy and waits until it is Ready; its runs go with it.
func enforce(t *testing.T, policy *v1alpha1.ValidationPolicy) {
	t.Helper()
	if err := api.Create(t.Context(), policy); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			out, _ := try("kubectl", "get", "validationpolicies,validationruns", "-o", "yaml")
			t.Log(out)
			diagnose(t, &v1alpha1.ValidationRun{ObjectMeta: metav1.ObjectMeta{Name: "none"}})
		}
		_, _ = try("kubectl", "delete", "validationpolicy", policy.Name, "--cascade=foreground", "--wait")
	})
	eventually(t, "policy "+policy.Name+" to be Ready", func(ctx context.Context) (bool, string) {
		err := api.Get(ctx, client.ObjectKeyFromObject(policy), policy)
		return err == nil && meta.IsStatusConditionTrue(policy.Status.Conditions, v1alpha1.ConditionReady), fmt.Sprintf("%+v %v", policy.Status.Conditions, err)
	})
}

// holds waits until the policy counts its nodes so, and says so by its condition Satisfied.
func holds(t *testing.T, policy *v1alpha1.ValidationPolicy, what, satisfied string, nodes v1alpha1.PolicyNodes) {
	t.Helper()
	eventually(t, "policy "+policy.Name+" "+what, func(ctx context.Context) (bool, string) {
		if err := api.Get(ctx, client.ObjectKeyFromObject(policy), policy); err != nil {
			return false, err.Error()
		}
		state := ""
		if c := meta.FindStatusCondition(policy.Status.Conditions, v1alpha1.ConditionSatisfied); c != nil {
			state = string(c.Status) + "/" + c.Reason
		}
		return state == satisfied && policy.Status.Nodes != nil && *policy.Status.Nodes == nodes,
			fmt.Sprintf("%s, %+v, want %s, %+v; %+v", state, policy.Status.Nodes, satisfied, nodes, policy.Status.Attention)
	})
}

// runOf waits for the policy's only run.
func runOf(t *testing.T, policy *v1alpha1.ValidationPolicy) *v1alpha1.ValidationRun {
	t.Helper()
	var list v1alpha1.ValidationRunList
	eventually(t, "a run of policy "+policy.Name, func(ctx context.Context) (bool, string) {
		if err := api.List(ctx, &list, client.MatchingLabels{v1alpha1.LabelPolicy: policy.Name}); err != nil {
			return false, err.Error()
		}
		return len(list.Items) == 1, fmt.Sprintf("it has %d runs", len(list.Items))
	})
	return &list.Items[0]
}

// waitingPod asks for a node that is not there yet.
func waitingPod(t *testing.T, selector map[string]string) *corev1.Pod {
	t.Helper()
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "work", Namespace: "default"},
		Spec: corev1.PodSpec{NodeSelector: selector, TerminationGracePeriodSeconds: new(int64),
			Containers: []corev1.Container{{Name: "work", Image: "localhost/assay/bench-cpu:dev", Command: []string{"sleep", "3600"}}}},
	}
	if err := api.Create(t.Context(), pod); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_, _ = try("kubectl", "-n", "default", "delete", "pod", pod.Name, "--grace-period=0", "--force", "--wait")
	})
	return pod
}

// keptOff waits until the scheduler has said that it is a taint of the new node that keeps the pod off.
func keptOff(t *testing.T, pod *corev1.Pod) {
	t.Helper()
	eventually(t, "the scheduler to name a taint", func(ctx context.Context) (bool, string) {
		if err := api.Get(ctx, client.ObjectKeyFromObject(pod), pod); err != nil {
			return false, err.Error()
		}
		said := ""
		for _, c := range pod.Status.Conditions {
			if c.Type == corev1.PodScheduled {
				said = c.Message
			}
		}
		return strings.Contains(said, "1 node(s) had untolerated taint"), said
	})
	if pod.Spec.NodeName != "" || pod.Status.Phase != corev1.PodPending {
		t.Errorf("the pod is %s on %q, want it Pending", pod.Status.Phase, pod.Spec.NodeName)
	}
}

func join(t *testing.T, node string, flags ...string) {
	t.Helper()
	t.Cleanup(func() { _, _ = try("clusterctl", "--name", clusterName, "node-leave", node) })
	clusterctl(t, append([]string{"node-join", node}, flags...)...)
}

func leave(t *testing.T) {
	t.Helper()
	clusterctl(t, "node-leave", newcomer)
}
