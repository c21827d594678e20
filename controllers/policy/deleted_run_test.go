package policy

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/operate/metrics"
	"github.com/assay-dev/assay/test/hand"
)

// TestADeletedRunPutsNoNodeIntoTwo: a leader stalls just before it creates a run; somebody deletes the newest run that it has seen, and another leader goes
// on, whose cache may be from before the status told of that run.
func TestADeletedRunPutsNoNodeIntoTwo(t *testing.T) {
	for sentence, behind := range map[string]bool{"all is seen": false, "the policy is as it was before that run": true} {
		t.Run(sentence, func(t *testing.T) {
			c := newTwoLeaders(t)
			second := c.leader(nil)
			get := func(ctx context.Context, all client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
				err := all.Get(ctx, key, o, opts...)
				if p, is := o.(*v1alpha1.ValidationPolicy); is && behind {
					p.ResourceVersion, p.Status = "1", v1alpha1.ValidationPolicyStatus{}
				}
				return err
			}
			second.Client = interceptor.NewClient(second.Client.(client.WithWatch), interceptor.Funcs{Get: get})
			first := c.leader(func() {
				if err := c.Delete(t.Context(), &v1alpha1.ValidationRun{ObjectMeta: metav1.ObjectMeta{Name: "newest"}}); err != nil {
					t.Fatal(err)
				}
				c.enforce(second)
				behind = false
				c.enforce(second)
			})
			c.enforce(first)
			tried := map[string]bool{}
			for _, w := range c.Writes {
				if strings.HasPrefix(w, "create ValidationRun") {
					tried[w] = true
				}
			}
			if len(tried) != 1 {
				t.Errorf("runs of %d names were to have the node, want one: %v", len(tried), c.Writes)
			}
		})
	}
}

// TestANodeThatIsInARunAlreadyGetsNoOther: a leader stalls just before it creates a run; another one creates that, somebody deletes it, and it creates the next. The
// first one goes on, and the name is free: it takes its run back, unless the other one is over by then.
func TestANodeThatIsInARunAlreadyGetsNoOther(t *testing.T) {
	for sentence, over := range map[string]bool{"it goes on": false, "it is over": true} {
		t.Run(sentence, func(t *testing.T) {
			c := newTwoLeaders(t)
			second := c.leader(nil)
			made := func() (made []v1alpha1.ValidationRun) {
				var runs v1alpha1.ValidationRunList
				if err := c.List(t.Context(), &runs, client.MatchingLabels{v1alpha1.LabelPolicyReason: v1alpha1.ReasonNeverValidated}); err != nil {
					t.Fatal(err)
				}
				return runs.Items
			}
			var newest string
			first := c.leader(func() {
				c.enforce(second)
				if err := c.Delete(t.Context(), &made()[0]); err != nil {
					t.Fatal(err)
				}
				c.clock.SetTime(c.clock.Now().Add(time.Hour)) // a node is not tried at once again
				c.enforce(second)
				next := &made()[0]
				if newest = next.Name; !over {
					return
				}
				next.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionFinished, Status: metav1.ConditionTrue}}
				if err := c.Status().Update(t.Context(), next); err != nil {
					t.Fatal(err)
				}
			})
			_, _ = first.Reconcile(t.Context(), reconcile.Request{NamespacedName: types.NamespacedName{Name: c.policy}})
			if runs := made(); len(runs) == 1 == over || !over && runs[0].Name != newest {
				t.Errorf("%d runs, beside %s: %v", len(runs), newest, c.Writes)
			}
		})
	}
}

// twoLeaders of a policy over one node that is due, and of which the newest run is over.
type twoLeaders struct {
	*hand.Cluster
	t      *testing.T
	clock  *clocktesting.FakePassiveClock
	policy string
}

func newTwoLeaders(t *testing.T) *twoLeaders {
	t.Helper()
	fleet, clock := validFleet(t, 1), clocktesting.NewFakePassiveClock(time.Now())
	fleet.policy.Spec.BatchSeconds = new(int32(0))
	made := metav1.NewTime(clock.Now().Add(-time.Hour).Truncate(time.Second))
	run := &v1alpha1.ValidationRun{ObjectMeta: metav1.ObjectMeta{Name: "newest", UID: "newest", CreationTimestamp: made,
		Labels:          map[string]string{v1alpha1.LabelPolicy: fleet.policy.Name},
		OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(fleet.policy, v1alpha1.GroupVersion.WithKind("ValidationPolicy"))}}}
	run.Spec.NodeNames = []string{"elsewhere"}
	run.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionFinished, Status: metav1.ConditionTrue}}
	fleet.policy.Status.LastRun = &v1alpha1.PolicyRun{Name: run.Name, CreatedAt: made}
	objects := []client.Object{fleet.policy, &fleet.nodes[0], run}
	for i := range fleet.benchmarks {
		objects = append(objects, &fleet.benchmarks[i])
	}
	for _, o := range objects {
		o.SetResourceVersion("")
	}
	return &twoLeaders{hand.New(t, objects...), t, clock, fleet.policy.Name}
}

// leader that does something else before it creates its first run.
func (c *twoLeaders) leader(before func()) *Reconciler {
	create := func(ctx context.Context, all client.WithWatch, o client.Object, opts ...client.CreateOption) error {
		if do := before; do != nil {
			before = nil
			do()
		}
		o.SetUID(types.UID("uid-of-" + o.GetName()))
		o.SetCreationTimestamp(metav1.NewTime(c.clock.Now().Truncate(time.Second)))
		return all.Create(ctx, o, opts...)
	}
	cluster := interceptor.NewClient(c.Cluster, interceptor.Funcs{Create: create})
	return &Reconciler{Client: cluster, Live: c, Recorder: silent{}, Clock: c.clock, Metrics: metrics.New(prometheus.NewRegistry())}
}

// enforce the policy until it has nothing to do at once. What conflicts is tried again.
func (c *twoLeaders) enforce(r *Reconciler) {
	for range 5 {
		if _, err := r.Reconcile(c.t.Context(), reconcile.Request{NamespacedName: types.NamespacedName{Name: c.policy}}); err != nil {
			c.t.Log(err)
		}
		c.clock.SetTime(c.clock.Now().Add(2 * time.Second))
	}
}

// TestTheStatusTellsOfARunAtOnce: somebody may delete it before the next pass.
func TestTheStatusTellsOfARunAtOnce(t *testing.T) {
	c := newTwoLeaders(t)
	r := c.leader(nil)
	var told []string
	patch := func(ctx context.Context, all client.Client, sub string, o client.Object, p client.Patch, opts ...client.SubResourcePatchOption) error {
		if p, is := o.(*v1alpha1.ValidationPolicy); is {
			told = append(told, p.Status.LastRun.Name)
		}
		return all.SubResource(sub).Patch(ctx, o, p, opts...)
	}
	r.Client = interceptor.NewClient(r.Client.(client.WithWatch), interceptor.Funcs{SubResourcePatch: patch})
	if _, err := r.Reconcile(t.Context(), reconcile.Request{NamespacedName: types.NamespacedName{Name: c.policy}}); err != nil {
		t.Fatal(err)
	}
	var runs v1alpha1.ValidationRunList
	if err := c.List(t.Context(), &runs, client.MatchingLabels{v1alpha1.LabelPolicyReason: v1alpha1.ReasonNeverValidated}); err != nil {
		t.Fatal(err)
	}
	if len(runs.Items) != 1 || len(told) != 1 || told[0] != runs.Items[0].Name {
		t.Errorf("the pass made %d runs, and the status names %q as the last", len(runs.Items), told)
	}
}
