package gitops_test

import (
	"path/filepath"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/cli-utils/pkg/kstatus/status"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/policy"
	"github.com/assay-dev/assay/test/integration/gitops"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// fleet of a policy, as the operator reads it.
func fleet(nodes ...policy.Node) policy.Snapshot {
	p := &v1alpha1.ValidationPolicy{ObjectMeta: metav1.ObjectMeta{Name: "h200", UID: "p", Generation: 2, CreationTimestamp: metav1.NewTime(noon.Add(-30 * 24 * time.Hour))},
		Spec:   v1alpha1.ValidationPolicySpec{AllNodes: true, Suite: "quick", OverdueSeconds: 86400, BatchSeconds: new(int32(30)), Retry: v1alpha1.Retry{AfterSeconds: 3600, Limit: new(int32(3))}},
		Status: v1alpha1.ValidationPolicyStatus{ObservedGeneration: -1}}
	return policy.Snapshot{First: true, Policy: p, Policies: []*v1alpha1.ValidationPolicy{p}, Nodes: nodes,
		Benchmarks: []policy.Benchmark{{Object: &v1alpha1.Benchmark{ObjectMeta: metav1.ObjectMeta{Name: "stream"}, Spec: v1alpha1.BenchmarkSpec{CostSeconds: 60}}, Asked: "x"}}}
}

// node that is ready, and was measured an hour ago with this verdict; "": never.
func node(name string, verdict v1alpha1.Verdict) policy.Node {
	n := policy.Node{Object: &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name), CreationTimestamp: metav1.NewTime(noon.Add(-48 * time.Hour))},
		Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}}}}
	if verdict != "" {
		entry := v1alpha1.HistoryEntry{Run: "r", RunUID: "r", Time: metav1.NewTime(noon.Add(-time.Hour)), Verdict: verdict, Asked: "x", Machine: &v1alpha1.Machine{}}
		n.Validation = &v1alpha1.NodeValidation{ObjectMeta: metav1.ObjectMeta{Name: name}, Fingerprint: v1alpha1.Fingerprint{NodeUID: types.UID(name)},
			Benchmarks: []v1alpha1.BenchmarkState{{Name: "stream", History: []v1alpha1.HistoryEntry{entry}}}}
	}
	return n
}

func gatedBy(n policy.Node, key string) policy.Node {
	n.Object.Spec.Taints = append(n.Object.Spec.Taints, corev1.Taint{Key: key, Value: "pending", Effect: corev1.TaintEffectNoSchedule})
	return n
}

// TestWhatToolsMakeOfWhatIsDecided: as TestWhatToolsMakeOfAPolicy, with the status that internal/operate/policy gives a policy.
func TestWhatToolsMakeOfWhatIsDecided(t *testing.T) {
	suspend := func(s *policy.Snapshot) { s.Policy.Spec.Suspend = true }
	gate := func(key string) func(*policy.Snapshot) {
		return func(s *policy.Snapshot) {
			s.Policy.Spec.Gate = &v1alpha1.Gate{Taint: v1alpha1.GateTaint{Key: key, Effect: corev1.TaintEffectNoSchedule}, TimeoutSeconds: 3600}
			s.GateAllowed = func(key string) bool { return key == v1alpha1.DefaultGateKey }
		}
	}
	rival := func(s *policy.Snapshot) {
		gate(v1alpha1.DefaultGateKey)(s)
		other := s.Policy.DeepCopy()
		other.Name, other.UID = "rival", "q"
		s.Policies = append(s.Policies, other)
	}
	for sentence, c := range map[string]struct {
		nodes   []policy.Node
		change  func(*policy.Snapshot)
		kstatus status.Status
		flux    status.Status
		argo    string
	}{
		"all nodes are valid":      {nodes: []policy.Node{node("a", "Pass"), node("b", "Pass")}, kstatus: current, flux: current, argo: "Healthy"},
		"there is no node":         {kstatus: current, flux: current, argo: "Healthy"},
		"a node is due":            {nodes: []policy.Node{node("a", "Pass"), node("b", "")}, change: justBegun, kstatus: current, flux: inProgress, argo: "Progressing"},
		"a node failed":            {nodes: []policy.Node{node("a", "Pass"), node("b", "Fail")}, kstatus: current, flux: inProgress, argo: "Degraded"},
		"a node is overdue":        {nodes: []policy.Node{node("a", "Pass"), node("b", "")}, kstatus: current, flux: inProgress, argo: "Degraded"},
		"suspended, a node is due": {nodes: []policy.Node{node("a", "Pass"), node("b", "")}, change: suspend, kstatus: current, flux: inProgress, argo: "Suspended"},
		"the schedule cannot be read": {nodes: []policy.Node{node("a", "Pass")}, change: func(s *policy.Snapshot) { s.Policy.Spec.Schedule = "61 2 * * *" },
			kstatus: failed, flux: failed, argo: "Degraded"},
		"the time zone is unknown": {nodes: []policy.Node{node("a", "Pass")}, change: func(s *policy.Snapshot) {
			s.Policy.Spec.Schedule, s.Policy.Spec.TimeZone = "@daily", "Europe/Zuerich"
		}, kstatus: failed, flux: failed, argo: "Degraded"},
		"no benchmark lists the suite": {nodes: []policy.Node{node("a", "Pass")}, change: func(s *policy.Snapshot) { s.Benchmarks = nil },
			kstatus: failed, flux: failed, argo: "Degraded"},
		"invalid and suspended": {change: func(s *policy.Snapshot) { suspend(s); s.Benchmarks = nil }, kstatus: failed, flux: failed, argo: "Degraded"},
		"a gated node is due": {nodes: []policy.Node{gatedBy(node("a", ""), v1alpha1.DefaultGateKey)},
			change: func(s *policy.Snapshot) { justBegun(s); gate(v1alpha1.DefaultGateKey)(s) }, kstatus: current, flux: inProgress, argo: "Progressing"},
		"nobody allowed the gate": {nodes: []policy.Node{gatedBy(node("a", "Pass"), "example.com/new")}, change: gate("example.com/new"),
			kstatus: failed, flux: failed, argo: "Degraded"},
		"another policy has the gate": {nodes: []policy.Node{gatedBy(node("a", "Pass"), v1alpha1.DefaultGateKey)}, change: rival,
			kstatus: failed, flux: failed, argo: "Degraded"},
	} {
		t.Run(sentence, func(t *testing.T) {
			s := fleet(c.nodes...)
			if c.change != nil {
				c.change(&s)
			}
			before := asSeen(t, s.Policy)
			if got, _ := status.Compute(before); got == nil || got.Status != inProgress {
				t.Errorf("before anybody has seen it, kstatus says %v", got)
			}
			s.Policy.Status = policy.Next(s, noon).Status
			o := asSeen(t, s.Policy)
			checkShown(t, o, c.kstatus, c.flux, c.argo)
			for _, condition := range s.Policy.Status.Conditions {
				if condition.ObservedGeneration != 2 || condition.Message == "" || condition.LastTransitionTime.IsZero() {
					t.Errorf("condition %+v lacks its generation, a message or a time", condition)
				}
			}
		})
	}
}

// justBegun: nodes have not been due for long.
func justBegun(s *policy.Snapshot) {
	s.Policy.CreationTimestamp = metav1.NewTime(noon.Add(-time.Minute))
}

func asSeen(t *testing.T, p *v1alpha1.ValidationPolicy) *unstructured.Unstructured {
	t.Helper()
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(p)
	if err != nil {
		t.Fatal(err)
	}
	o := &unstructured.Unstructured{Object: fields}
	o.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("ValidationPolicy"))
	return o
}

func checkShown(t *testing.T, o *unstructured.Unstructured, kstatus, flux status.Status, argo string) {
	t.Helper()
	computed, err := status.Compute(o)
	if err != nil {
		t.Fatal(err)
	}
	if computed.Status != kstatus {
		t.Errorf("kstatus says %s, want %s: %s", computed.Status, kstatus, computed.Message)
	}
	acceptance, err := gitops.ReadFlux(filepath.Join(samples, "flux", "acceptance.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := gitops.Flux(&acceptance[0], o); err != nil || got != flux {
		t.Errorf("the sample's expressions say %s (%v), want %s", got, err, flux)
	}
	health, err := readArgo(t).Health(o)
	if err != nil {
		t.Fatal(err)
	}
	if health.Status != argo || health.Message == "" {
		t.Errorf("Argo CD shows %q, want %s and a message", health, argo)
	}
}

// TestValidateNow: a new value makes every node due, once; keeping it, removing it or writing it again asks for nothing.
func TestValidateNow(t *testing.T) {
	s := fleet(node("a", "Pass"), node("b", "Pass"))
	for _, step := range []struct {
		value     string
		requested bool
	}{{"", false}, {"2026-11", true}, {"2026-11", false}, {"", false}, {"2026-11", false}, {"2026-12", true}} {
		s.Policy.Annotations = map[string]string{v1alpha1.AnnotationValidateNow: step.value}
		plan := policy.Next(s, noon)
		if requested := plan.ValidateNow != nil; requested != step.requested {
			t.Errorf("assay.dev/validate-now: %q makes a request: %v, want %v", step.value, requested, step.requested)
		}
		if due := plan.Status.Nodes.Due; step.requested && due != 2 {
			t.Errorf("assay.dev/validate-now: %q makes %d nodes due, want both", step.value, due)
		}
		s.Policy.Status = plan.Status
	}
}
