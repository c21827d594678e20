package policy

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	testclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers"
	"github.com/assay-dev/assay/internal/operate/recentwrites"
)

// passes is the predicate of a watch.
func passes(t *testing.T, p predicate.Predicate, before, after client.Object) bool {
	t.Helper()
	return p.Update(event.UpdateEvent{ObjectOld: before, ObjectNew: after})
}

// TestWhatOfANodeWakes: a kubelet's heartbeats wake nobody.
func TestWhatOfANodeWakes(t *testing.T) {
	for sentence, c := range map[string]struct {
		change func(*corev1.Node)
		wakes  bool
	}{
		"a heartbeat": {func(n *corev1.Node) { n.ResourceVersion = "2"; n.Status.Conditions[0].LastHeartbeatTime = metav1.Now() }, false},
		"a label":     {func(n *corev1.Node) { n.Labels = map[string]string{"a": "b"} }, true},
		"a taint":     {func(n *corev1.Node) { n.Spec.Taints = []corev1.Taint{{Key: "a"}} }, true},
		"a reboot":    {func(n *corev1.Node) { n.Status.NodeInfo.BootID = "2" }, true},
		"a kernel":    {func(n *corev1.Node) { n.Status.NodeInfo.KernelVersion = "7" }, true},
		"not Ready":   {func(n *corev1.Node) { n.Status.Conditions[0].Status = corev1.ConditionFalse }, true},
		"cordoned":    {func(n *corev1.Node) { n.Spec.Unschedulable = true }, true},
		"made anew":   {func(n *corev1.Node) { n.UID = "2" }, true},
	} {
		t.Run(sentence, func(t *testing.T) {
			before := &corev1.Node{Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}}}
			after := before.DeepCopy()
			c.change(after)
			if got := passes(t, nodeChange, before, after); got != c.wakes {
				t.Errorf("it wakes: %v, want %v", got, c.wakes)
			}
		})
	}
}

// TestWhatOfAPolicyWakes: not what the controller itself writes.
func TestWhatOfAPolicyWakes(t *testing.T) {
	for sentence, c := range map[string]struct {
		change func(*v1alpha1.ValidationPolicy)
		wakes  bool
	}{
		"its status":   {func(p *v1alpha1.ValidationPolicy) { p.ResourceVersion, p.Status.Valid = "2", "1/1" }, false},
		"another note": {func(p *v1alpha1.ValidationPolicy) { p.Annotations = map[string]string{"a": "b"} }, false},
		"its spec":     {func(p *v1alpha1.ValidationPolicy) { p.Generation = 2 }, true},
		"its deletion": {func(p *v1alpha1.ValidationPolicy) { p.DeletionTimestamp = new(metav1.Now()) }, true},
		"validate now": {func(p *v1alpha1.ValidationPolicy) {
			p.Annotations = map[string]string{v1alpha1.AnnotationValidateNow: "1"}
		}, true},
		"it is made anew":  {func(p *v1alpha1.ValidationPolicy) { p.UID = "2" }, true},
		"nothing, resync:": {func(*v1alpha1.ValidationPolicy) {}, false},
	} {
		t.Run(sentence, func(t *testing.T) {
			before := &v1alpha1.ValidationPolicy{}
			after := before.DeepCopy()
			c.change(after)
			if got := passes(t, policyChange, before, after); got != c.wakes {
				t.Errorf("it wakes: %v, want %v", got, c.wakes)
			}
		})
	}
}

// woken remembers who is woken, and how much later.
type woken struct {
	controllers.Queue
	after map[string]time.Duration
}

func (w *woken) AddAfter(r reconcile.Request, after time.Duration) { w.after[r.Name] = after }

// twoPolicies are in the cache.
type twoPolicies struct{ client.Client }

func (twoPolicies) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	l := list.(*v1alpha1.ValidationPolicyList)
	l.Items = make([]v1alpha1.ValidationPolicy, 2)
	l.Items[0].Name, l.Items[1].Name = "h200", "cpu"
	return nil
}

// TestWhatOfARunWakes: what frees or takes its nodes wakes every policy, its progress only its own, and that later.
func TestWhatOfARunWakes(t *testing.T) {
	over := func(r *v1alpha1.ValidationRun) {
		r.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionFinished, Status: metav1.ConditionTrue}}
	}
	stall := func(r *v1alpha1.ValidationRun) {
		r.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionStalled, Status: metav1.ConditionTrue}}
	}
	all := map[string]time.Duration{"h200": wakeDelay, "cpu": wakeDelay}
	for sentence, c := range map[string]struct {
		change func(before, after *v1alpha1.ValidationRun)
		want   map[string]time.Duration
	}{
		"it ends":            {func(_, after *v1alpha1.ValidationRun) { over(after) }, all},
		"it goes":            {func(_, after *v1alpha1.ValidationRun) { after.DeletionTimestamp = new(metav1.Now()) }, all},
		"its progress":       {func(_, after *v1alpha1.ValidationRun) { after.Status.Worst = "x" }, map[string]time.Duration{"h200": progressDelay}},
		"it is suspended":    {func(_, after *v1alpha1.ValidationRun) { after.Spec.Suspend = true }, all},
		"it goes on again":   {func(before, _ *v1alpha1.ValidationRun) { before.Spec.Suspend = true }, all},
		"it cannot go on":    {func(_, after *v1alpha1.ValidationRun) { stall(after) }, all},
		"it can go on again": {func(before, _ *v1alpha1.ValidationRun) { stall(before) }, all},
		"it had begun when it stalled": {func(before, after *v1alpha1.ValidationRun) {
			stall(before)
			stall(after)
			after.Status.StartTime = new(metav1.Now())
		}, all},
		"it is over, and labelled": {func(before, after *v1alpha1.ValidationRun) {
			over(before)
			over(after)
			after.Labels["a"] = "b"
		}, map[string]time.Duration{}},
	} {
		t.Run(sentence, func(t *testing.T) {
			r := &Reconciler{Client: twoPolicies{}, recent: recentwrites.New(testclock.NewFakePassiveClock(time.Now()))}
			before := &v1alpha1.ValidationRun{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{v1alpha1.LabelPolicy: "h200"}}}
			after := before.DeepCopy()
			c.change(before, after)
			q := &woken{after: map[string]time.Duration{}}
			r.runHandler().Update(t.Context(), event.UpdateEvent{ObjectOld: before, ObjectNew: after}, q)
			if diff := cmp.Diff(c.want, q.after); diff != "" {
				t.Errorf("who is woken (-want +got):\n%s", diff)
			}
		})
	}
}

// TestWhatOfTheCatalogueWakes: a Benchmark that was deleted and applied again while nobody watched is one change to whoever watches, of one first generation to another.
func TestWhatOfTheCatalogueWakes(t *testing.T) {
	for sentence, c := range map[string]struct {
		change func(client.Object)
		wakes  bool
	}{
		"nothing, resync": {func(client.Object) {}, false},
		"another note":    {func(o client.Object) { o.SetAnnotations(map[string]string{"a": "b"}) }, false},
		"its spec":        {func(o client.Object) { o.SetGeneration(2) }, true},
		"it is made anew": {func(o client.Object) { o.SetUID("2") }, true},
	} {
		for _, w := range (*controllers.Devices)(nil).Watches(nil) {
			w.Object.SetGeneration(1)
			w.Object.SetUID("1")
			after := w.Object.DeepCopyObject().(client.Object)
			c.change(after)
			if got := passes(t, predicate.And(w.Predicates...), w.Object, after); got != c.wakes {
				t.Errorf("%T, %s: it wakes: %v, want %v", after, sentence, got, c.wakes)
			}
		}
	}
}
