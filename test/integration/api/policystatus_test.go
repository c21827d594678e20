package api_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/result"
)

// fieldsOf a schema in a CRD, below the path.
func fieldsOf(t *testing.T, file string, path ...string) []string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(crdFolder, file))
	if err != nil {
		t.Fatal(err)
	}
	type schema struct {
		Properties map[string]struct{ Properties map[string]any }
	}
	var crd struct {
		Spec struct {
			Versions []struct {
				Schema struct{ OpenAPIV3Schema schema }
			}
		}
	}
	if err := yaml.Unmarshal(content, &crd); err != nil {
		t.Fatal(err)
	}
	var fields []string
	for field := range crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties[path[0]].Properties {
		fields = append(fields, field)
	}
	if len(fields) == 0 {
		t.Fatalf("%s has no field %s", file, path)
	}
	return fields
}

func readPolicy(t *testing.T, name string) *v1alpha1.ValidationPolicy {
	t.Helper()
	policy := &v1alpha1.ValidationPolicy{}
	if err := typedClient(t).Get(t.Context(), client.ObjectKey{Name: name}, policy); err != nil {
		t.Fatal(err)
	}
	return policy
}

func remove(t *testing.T, o client.Object) {
	t.Helper()
	if err := typedClient(t).Delete(context.Background(), o); client.IgnoreNotFound(err) != nil {
		t.Error(err)
	}
}

// TestRunsOfAPolicyHaveNamesThatFit: whatever a policy is called and whyever it creates a run, the run's name fits a label.
func TestRunsOfAPolicyHaveNamesThatFit(t *testing.T) {
	longest := strings.Repeat("n", 39) // the API refuses one more
	for _, reason := range []string{v1alpha1.ReasonNeverValidated, v1alpha1.ReasonExpired, v1alpha1.ReasonRenewal, v1alpha1.ReasonChanged,
		v1alpha1.ReasonRequested, v1alpha1.ReasonRetry} {
		name := longest + "-" + strings.ToLower(reason) + "-01234567"
		if errs := validation.IsValidLabelValue(name); len(errs) > 0 {
			t.Errorf("%s of %d characters: %v", name, len(name), errs)
		}
		if err := dryRun(t, object(t, validRun, `{metadata: {name: `+name+`}}`)); err != nil {
			t.Error(err)
		}
	}
}

// largestPolicyStatus: each list as long and each text as large as the API allows.
func largestPolicyStatus() v1alpha1.ValidationPolicyStatus {
	now := metav1.NewTime(time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC))
	s := v1alpha1.ValidationPolicyStatus{ObservedGeneration: 1, Valid: strings.Repeat("9", 15) + "/" + strings.Repeat("9", 16), NextRunTime: &now,
		Nodes:       &v1alpha1.PolicyNodes{Selected: 1 << 30, Valid: 1 << 30, Due: 1 << 30, Failed: 1 << 30, Unmeasurable: 1 << 30, Overdue: 1 << 30, Validating: 1 << 30, Gated: 1 << 30},
		LastRun:     &v1alpha1.PolicyRun{Name: strings.Repeat("n", 63), Reason: strings.Repeat("R", 64), CreatedAt: now, Verdict: v1alpha1.VerdictInconclusive, Progress: strings.Repeat("1", 32)},
		ValidateNow: &v1alpha1.ValidateNow{Value: strings.Repeat("\U0001F600", 256), Time: now}}
	for i := range 50 {
		s.Attention = append(s.Attention, v1alpha1.NodeAttention{Name: fmt.Sprintf("%s%03d", strings.Repeat("n", 250), i), Reason: strings.Repeat("R", 64),
			Message: strings.Repeat("\U0001F600", 512), Since: now, Gated: true, Overdue: true})
	}
	for _, kind := range []string{"Ready", "Satisfied", "Reconciling", "Stalled", "Suspended"} {
		s.Conditions = append(s.Conditions, metav1.Condition{Type: kind, Status: "True", Reason: "R", LastTransitionTime: now, Message: strings.Repeat("<", 2048)})
	}
	return s
}

func TestTheLargestStatusOfAPolicyCanBeStored(t *testing.T) {
	policy := readPolicy(t, create(t, strings.Replace(validPolicy, "gpu-pool", "largest-status", 1)).GetName())
	t.Cleanup(func() { remove(t, policy) })
	policy.Status = largestPolicyStatus()
	if err := typedClient(t).Status().Update(t.Context(), policy); err != nil {
		t.Fatalf("the status is refused: %v", err)
	}
	stored := readPolicy(t, policy.Name)
	same := cmp.Comparer(func(a, b metav1.Time) bool { return a.Time.Equal(b.Time) })
	if diff := cmp.Diff(largestPolicyStatus(), stored.Status, same); diff != "" {
		t.Errorf("what comes back (-stored +read):\n%s", diff)
	}
	if size := result.Size(stored.Status); size > 256<<10 {
		t.Errorf("the status takes %d bytes, want at most 256 KiB", size)
	}
}

// TestTheStatusOfAPolicyIsBounded: one row, and one character, more than the largest are refused.
func TestTheStatusOfAPolicyIsBounded(t *testing.T) {
	policy := readPolicy(t, create(t, strings.Replace(validPolicy, "gpu-pool", "bounded-status", 1)).GetName())
	t.Cleanup(func() { remove(t, policy) })
	for sentence, c := range map[string]struct {
		grow    func(*v1alpha1.ValidationPolicyStatus)
		message string
	}{
		"51 nodes need attention": {func(s *v1alpha1.ValidationPolicyStatus) {
			s.Attention = append(s.Attention, v1alpha1.NodeAttention{Name: "n", Reason: "R", Since: metav1.Now()})
		}, "status.attention: Too many: 51: must have at most 50 items"},
		"a node stands there twice": {func(s *v1alpha1.ValidationPolicyStatus) { s.Attention[1].Name = s.Attention[0].Name }, "status.attention[1]: Duplicate value"},
		"a message is too long":     {func(s *v1alpha1.ValidationPolicyStatus) { s.Attention[0].Message += "x" }, "status.attention[0].message: Too long"},
		"a reason is too long":      {func(s *v1alpha1.ValidationPolicyStatus) { s.Attention[0].Reason += "x" }, "status.attention[0].reason: Too long"},
		"a request is too long":     {func(s *v1alpha1.ValidationPolicyStatus) { s.ValidateNow.Value += "x" }, "status.validateNow.value: Too long"},
		"the name of a run is too long": {func(s *v1alpha1.ValidationPolicyStatus) { s.LastRun.Name += "x" },
			"status.lastRun.name: Too long"},
	} {
		t.Run(sentence, func(t *testing.T) {
			p := policy.DeepCopy()
			p.Status = largestPolicyStatus()
			c.grow(&p.Status)
			err := typedClient(t).Status().Update(t.Context(), p, client.DryRunAll)
			if err == nil || !strings.Contains(err.Error(), c.message) {
				t.Errorf("the error is %v, want %q in it", err, c.message)
			}
		})
	}
}
