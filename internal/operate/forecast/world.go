package forecast

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/peak"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/operate/policy"
	"github.com/assay-dev/assay/internal/quantity"
)

// world is the cluster as it is foreseen. What it shares with the input it never changes.
type world struct {
	in       Input
	now      time.Time
	snapshot policy.Snapshot
	// ends are the runs that go on, and when each is over.
	ends    map[types.UID]time.Time
	changed int
	out     Forecast
}

func newWorld(in Input, now time.Time) *world {
	p := in.Policy.DeepCopy()
	p.Spec.Suspend = false
	w := &world{in: in, now: now, ends: map[types.UID]time.Time{}, out: Forecast{From: now}}
	w.snapshot = policy.Snapshot{Policy: p, First: true, Memory: &policy.Memory{}, Policies: []*v1alpha1.ValidationPolicy{p},
		GateAllowed: func(string) bool { return true }}
	w.snapshot.Benchmarks, w.snapshot.Unresolved = policy.Resolve(&p.Spec, in.Benchmarks)
	w.snapshot.Profiles, _ = peak.ReadProfiles(in.Profiles) // runs say which cannot be read
	others := list.Those(in.Policies, func(o *v1alpha1.ValidationPolicy) bool { return o.Name != p.Name })
	w.snapshot.Policies = append(w.snapshot.Policies, others...)
	known := map[string]*v1alpha1.NodeValidation{}
	for v := range list.Each(in.Validations) {
		known[v.Name] = v
	}
	for n := range list.Each(in.Nodes) {
		w.snapshot.Nodes = append(w.snapshot.Nodes, policy.Node{Object: n, Validation: known[n.Name]})
	}
	for r := range list.Each(in.Runs) {
		run := r.DeepCopy()
		w.snapshot.Runs = append(w.snapshot.Runs, run)
		if !meta.IsStatusConditionTrue(run.Status.Conditions, v1alpha1.ConditionFinished) && !run.Spec.Suspend {
			took := w.costOf(run).took
			w.ends[run.UID] = list.Latest(now.Add(finest), run.CreationTimestamp.Add(took))
		}
	}
	return w
}

// pass of the policy, and when the next one is.
func (w *world) pass() time.Time {
	w.endRuns()
	plan := w.decide()
	if w.snapshot.First {
		w.begin(&plan)
	}
	if b := plan.Status.Budget; b != nil && b.Waiting > 0 {
		w.out.MostWaiting, w.out.WaitingUntil = max(w.out.MostWaiting, b.Waiting), new(w.now)
	}
	for _, run := range plan.Create {
		w.create(run)
	}
	for i := range plan.Open {
		w.open(&plan.Open[i])
	}
	w.snapshot.Runs = slices.DeleteFunc(w.snapshot.Runs, func(r *v1alpha1.ValidationRun) bool { return slices.Contains(plan.Delete, r) })
	for n := range list.Each(w.snapshot.Nodes) {
		n.Seen = plan.Seen[n.Object.UID]
	}
	w.snapshot.First, w.snapshot.Policy.Status = false, plan.Status
	if len(plan.Create)+len(plan.Open)+len(plan.Delete) > 0 {
		return w.now // what was done may have more follow from it
	}
	next := plan.Again
	for _, at := range w.ends {
		list.Sooner(&next, at)
	}
	return next
}

// decide as the controller does: it looks at the nodes that the plan asks about, once, and decides again. Every node is idle. Where passes are far
// apart, a look would be forgotten before the next one, so that all nodes are looked at.
func (w *world) decide() policy.Plan {
	look := func(names []string) {
		for n := range list.Each(w.snapshot.Nodes) {
			if names == nil || slices.Contains(names, n.Object.Name) {
				n.Look = policy.Look{At: w.now}
			}
		}
	}
	if w.begun() {
		look(nil)
		return policy.Next(w.snapshot, w.now)
	}
	plan := policy.Next(w.snapshot, w.now)
	if len(plan.Look) > 0 {
		look(plan.Look)
		plan = policy.Next(w.snapshot, w.now)
	}
	return plan
}

// begun: the first runs were created, and passes may be further apart.
func (w *world) begun() bool { return len(w.out.Runs) > 0 && w.now.After(w.out.Runs[0].At) }

// begin with what the policy says of the cluster as it is.
func (w *world) begin(plan *policy.Plan) {
	if n := plan.Status.Nodes; n != nil {
		w.out.Nodes = *n
	}
	w.out.Budget = plan.Status.Budget
	if c := meta.FindStatusCondition(plan.Status.Conditions, v1alpha1.ConditionReady); c != nil && c.Reason == v1alpha1.ReasonInvalid {
		w.out.Invalid = c.Message
	}
}

// create a run, as the controller does.
func (w *world) create(planned policy.Run) {
	run := &v1alpha1.ValidationRun{Spec: planned.Spec}
	run.Name, run.UID, run.CreationTimestamp = planned.Name, types.UID(planned.Name), metav1.Time{Time: w.now}
	run.Labels = map[string]string{v1alpha1.LabelPolicy: w.snapshot.Policy.Name, v1alpha1.LabelPolicyReason: planned.Reason}
	run.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(w.snapshot.Policy, v1alpha1.GroupVersion.WithKind("ValidationPolicy"))}
	w.snapshot.Runs = append(w.snapshot.Runs, run)
	cost := w.costOf(run)
	ends := w.now.Add(cost.took)
	w.ends[run.UID] = ends
	w.out.Runs = append(w.out.Runs, Run{At: w.now, Ends: ends, Reason: planned.Reason, Nodes: run.Spec.NodeNames,
		NodeHours: quantity.Round(cost.nodes.Hours(), Digits), DeviceHours: cost.devices})
}

// open a gate.
func (w *world) open(o *policy.Opening) {
	for n := range list.Each(w.snapshot.Nodes) {
		if n.Object.UID != o.UID {
			continue
		}
		opened := n.Object.DeepCopy()
		opened.Spec.Taints = slices.DeleteFunc(opened.Spec.Taints, func(t corev1.Taint) bool { return t.Key == o.Taint.Key && t.Effect == o.Taint.Effect })
		metav1.SetMetaDataAnnotation(&opened.ObjectMeta, v1alpha1.AnnotationGate, o.Record.String())
		opened.ResourceVersion, n.Object = w.version(), opened
	}
}

// version of an object that was changed.
func (w *world) version() string {
	w.changed++
	return fmt.Sprint("forecast-", w.changed)
}
