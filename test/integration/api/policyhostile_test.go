package api_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/policy"
)

// TestWhateverIsDecidedCanBeStored: the API takes the status of a policy whose annotation is huge and whose nodes have the longest names,
// odd pasts, and times from the past and the future.
func TestWhateverIsDecidedCanBeStored(t *testing.T) {
	c := typedClient(t)
	stored := readPolicy(t, create(t, strings.Replace(validPolicy, "gpu-pool", strings.Repeat("n", 39), 1)).GetName())
	t.Cleanup(func() { remove(t, stored) })
	random := rand.New(rand.NewPCG(13, 13))
	for range 100 {
		p := stored.DeepCopy()
		s, now := oddSnapshot(random, p)
		p.Status = policy.Next(s, now).Status
		if err := c.Status().Update(t.Context(), p, client.DryRunAll); err != nil {
			t.Fatalf("the status is refused: %v", err)
		}
		if rows := len(p.Status.Attention); rows > 50 {
			t.Fatalf("%d rows", rows)
		}
	}
}

// oddSnapshot is of up to 120 nodes.
func oddSnapshot(random *rand.Rand, p *v1alpha1.ValidationPolicy) (policy.Snapshot, time.Time) {
	pick := func(texts ...string) string { return texts[random.IntN(len(texts))] }
	when := func() metav1.Time {
		return metav1.NewTime([]time.Time{time.Unix(0, 0), time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC), time.Date(2026, 11, 22, 12, 0, 1, 5, time.UTC),
			time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)}[random.IntN(5)])
	}
	odd := func(length int) string {
		return strings.Repeat(pick("\U0001F600", "<", "é", "\u2028", "x"), 1+random.IntN(length))
	}
	p.Annotations = map[string]string{v1alpha1.AnnotationValidateNow: odd(60_000)}
	p.Spec.Selector, p.Spec.AllNodes, p.Spec.Suspend = metav1.LabelSelector{}, true, random.IntN(4) == 0
	p.Spec.Schedule, p.Spec.TimeZone = pick("", "0 2 * * 1-5", "0 0 30 2 *", "99 * * * *"), pick("", "UTC", "Mars/Olympus")
	if random.IntN(2) == 0 {
		p.Spec.ValidForSeconds = new([]int64{60, 604800, 63072000}[random.IntN(3)])
		p.Spec.Gate = &v1alpha1.Gate{Taint: v1alpha1.GateTaint{Key: v1alpha1.DefaultGateKey, Effect: corev1.TaintEffectNoSchedule}, TimeoutSeconds: 60}
	}
	s := policy.Snapshot{Policy: p, Policies: []*v1alpha1.ValidationPolicy{p}, First: random.IntN(2) == 0,
		GateAllowed: func(string) bool { return random.IntN(4) > 0 },
		Benchmarks: []policy.Benchmark{{Object: &v1alpha1.Benchmark{ObjectMeta: metav1.ObjectMeta{Name: strings.Repeat("b", 63)},
			Spec: v1alpha1.BenchmarkSpec{CostSeconds: 60}}, Asked: "x"}}}
	for i := range random.IntN(120) {
		name := fmt.Sprintf("%03d%s", i, strings.Repeat("n", random.IntN(251)))
		n := policy.Node{Object: &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID(name), CreationTimestamp: when()},
			Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionStatus(pick("True", "False", "Unknown")),
				Message: odd(2000), LastTransitionTime: when()}}}},
			Look: policy.Look{At: when().Time, Busy: pick("", odd(2000))}}
		if random.IntN(2) == 0 {
			n.Object.Spec.Taints = []corev1.Taint{{Key: v1alpha1.DefaultGateKey, Value: "pending", Effect: corev1.TaintEffectNoSchedule}}
		}
		if random.IntN(2) == 0 {
			n.Seen = policy.Seen{DueSince: when().Time, GatedSince: when().Time, LacksSince: when().Time}
		}
		if random.IntN(3) > 0 {
			h := v1alpha1.BenchmarkState{Name: strings.Repeat("b", 63), Message: odd(1000)}
			h.History = []v1alpha1.HistoryEntry{{Run: "r", RunUID: types.UID(odd(10)), Time: when(), Verdict: v1alpha1.Verdict(pick("Pass", "Fail")), Asked: "x", Machine: &v1alpha1.Machine{}}}
			h.Unproved = []v1alpha1.UnprovedRun{{RunUID: "u", Time: when(), Verdict: v1alpha1.VerdictError, Reason: odd(60)}}
			n.Validation = &v1alpha1.NodeValidation{Fingerprint: v1alpha1.Fingerprint{NodeUID: types.UID(name)}, Benchmarks: []v1alpha1.BenchmarkState{h}, Message: odd(2000)}
			if random.IntN(4) == 0 {
				n.Validation.Convictions = []v1alpha1.Conviction{{Benchmark: strings.Repeat("c", 63), Metric: strings.Repeat("m", 63)}}
			}
		}
		s.Nodes = append(s.Nodes, n)
	}
	return s, time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
}
