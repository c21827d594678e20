package metrics

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// enforced is a cache with these policies in it.
type enforced struct {
	client.Reader
	policies []v1alpha1.ValidationPolicy
}

func (c enforced) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	if l, ok := list.(*v1alpha1.ValidationPolicyList); ok {
		l.Items = c.policies
	}
	return nil
}

func TestPolicies(t *testing.T) {
	h200, bad := v1alpha1.ValidationPolicy{}, v1alpha1.ValidationPolicy{}
	h200.Name, bad.Name = "h200", "bad"
	h200.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionReady, Status: metav1.ConditionTrue}}
	h200.Status.Nodes = &v1alpha1.PolicyNodes{Selected: 10, Valid: 6, Due: 2, Failed: 1, Unmeasurable: 1, Overdue: 1, Validating: 2, Gated: 3, Stuck: 1}
	h200.Status.Attention = []v1alpha1.NodeAttention{{Reason: v1alpha1.ReasonFailed, Gated: true}}
	state := &State{Clock: clock.RealClock{}, Reader: enforced{policies: []v1alpha1.ValidationPolicy{h200, bad}}}
	err := testutil.CollectAndCompare(state, strings.NewReader(`
# HELP assay_policy_nodes Nodes of a policy by state: selected, valid, due, failed, unmeasurable; and of these overdue, validating, gated and stuck.
# TYPE assay_policy_nodes gauge
assay_policy_nodes{policy="h200",state="due"} 2
assay_policy_nodes{policy="h200",state="failed"} 1
assay_policy_nodes{policy="h200",state="gated"} 3
assay_policy_nodes{policy="h200",state="overdue"} 1
assay_policy_nodes{policy="h200",state="selected"} 10
assay_policy_nodes{policy="h200",state="stuck"} 1
assay_policy_nodes{policy="h200",state="unmeasurable"} 1
assay_policy_nodes{policy="h200",state="valid"} 6
assay_policy_nodes{policy="h200",state="validating"} 2
# HELP assay_policy_ready 1: the policy is understood and enforced; 0: it is not.
# TYPE assay_policy_ready gauge
assay_policy_ready{policy="bad"} 0
assay_policy_ready{policy="h200"} 1
`), "assay_policy_nodes", "assay_policy_ready")
	if err != nil {
		t.Error(err)
	}
}

func TestWhatPoliciesDo(t *testing.T) {
	registry := prometheus.NewRegistry()
	r := New(registry)
	r.GateOpened("h200", 4*time.Minute)
	r.PolicyRunCreated(v1alpha1.ReasonExpired, 100)
	r.PolicyRunCreated(v1alpha1.ReasonRetry, 3)
	r.PolicySeen("h200", time.Now().Add(time.Hour))
	r.PolicySeen("never", time.Time{})
	r.PolicySeen("gone", time.Now())
	r.PolicyGone("gone")
	if n := testutil.CollectAndCount(r.gateWait); n != 2 {
		t.Errorf("%d policies have gate waits, want h200, where one node waited, and never, where none has yet", n)
	}
	if n := testutil.ToFloat64(r.retries); n != 3 {
		t.Errorf("%v nodes were measured again, want 3", n)
	}
	if n := testutil.CollectAndCount(r.expiries); n != 1 {
		t.Errorf("%d policies have a next expiry, want 1", n)
	}
	if s := testutil.ToFloat64(r.expiries); s < 3500 || s > 3600 {
		t.Errorf("the next pass expires in %v s, want an hour", s)
	}
}
