package controllers_test

import (
	"context"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// replace a machine by another one under the same name.
func (l *lab) replace(short string) {
	l.t.Helper()
	l.deleteNode(short)
	l.addNode(short)
}

// failedOnce is a run over two nodes that has measured node a as too slow, and waits for node b. Until b is measured, too, it taints nobody.
func failedOnce(t *testing.T, change ...func(*v1alpha1.ValidationRun)) (l *lab, free func()) {
	t.Helper()
	l = newLab(t, 2)
	free = l.holdBack("b")
	l.plays = on("a", program{rate: 50})
	l.run(append(change, func(r *v1alpha1.ValidationRun) { r.Spec.Confirmations = new(int32(0)) })...)
	l.until("node a is measured", func() bool { return l.get().Status.Progress == "1/2" && len(l.pods()) == 0 })
	return l, free
}

// TestAReplacedMachineDoesNotPay: a node that is made anew under the name of one that failed gets neither its taint nor its condition,
// whether the cache knows of the new one or not, and however late it comes.
func TestAReplacedMachineDoesNotPay(t *testing.T) {
	t.Parallel()
	t.Run("and the cache still has the old one", func(t *testing.T) {
		t.Parallel()
		l, free := failedOnce(t, tainting)
		old := l.getNode("a")
		l.replace("a")
		l.hand.reads = func(o client.Object) {
			if n, ok := o.(*corev1.Node); ok && n.Name == old.Name {
				old.DeepCopyInto(n)
			}
		}
		free()
		l.finish()
		same(t, "the new node a", untouched, l.standing("a"))
	})
	t.Run("between the record of its taint and the taint", func(t *testing.T) {
		t.Parallel()
		l, free := failedOnce(t, tainting)
		l.tolerate = func(error) bool { return true } // the condition of the old node is refused
		var once sync.Once
		l.hand.after = func(_ int, _ write, o runtime.Object) error {
			if v, ok := o.(*v1alpha1.NodeValidation); ok && v.Quarantine != nil {
				once.Do(func() { l.replace("a") })
			}
			return nil
		}
		free()
		l.finish()
		same(t, "the new node a", untouched, l.standing("a"))
	})
	t.Run("between what is remembered of it and its condition", func(t *testing.T) {
		t.Parallel()
		l := newLab(t, 1)
		l.tolerate = func(error) bool { return true }
		l.plays = always(program{rate: 50})
		l.run(func(r *v1alpha1.ValidationRun) { r.Spec.Confirmations = new(int32(0)) })
		var once sync.Once
		l.hand.after = func(_ int, w write, _ runtime.Object) error {
			if w == "create NodeValidation" {
				once.Do(func() { l.replace("a") })
			}
			return nil
		}
		l.finish()
		same(t, "the new node a", untouched, l.standing("a"))
	})
}

// TestAReplacedMachineFreesTheBudget: what is on record of a node that is gone counts for nothing, however new the record is.
func TestAReplacedMachineFreesTheBudget(t *testing.T) {
	t.Parallel()
	l := spent(t)
	l.replace("b")
	l.wantsTheBudget()
}

// TestATaintThatWasTakenAwayFreesTheBudget: once a record is too old to announce a taint that is still to come, the node has to carry it.
func TestATaintThatWasTakenAwayFreesTheBudget(t *testing.T) {
	t.Parallel()
	l := spent(t)
	l.editNode("b", func(n *corev1.Node) { n.Spec.Taints = nil })
	l.r.Live = interceptor.NewClient(live, interceptor.Funcs{
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			err := c.List(ctx, list, opts...)
			if records, ok := list.(*v1alpha1.NodeValidationList); ok && err == nil {
				for i := range records.Items {
					if r := &records.Items[i]; r.Name == l.node("b") {
						r.ManagedFields, r.CreationTimestamp = nil, metav1.NewTime(r.CreationTimestamp.Add(-3*time.Minute))
					}
				}
			}
			return err
		}})
	l.wantsTheBudget()
}

// spent are five nodes of which b has just been tainted.
func spent(t *testing.T) *lab {
	t.Helper()
	l := newLab(t, 5)
	l.plays = always(program{rate: 50})
	l.run(tainting, l.alone("b"), func(r *v1alpha1.ValidationRun) { r.Spec.Confirmations = new(int32(0)) })
	l.finish()
	same(t, "node b", unfit, l.standing("b"))
	return l
}

// wantsTheBudget for node a: a run that may taint one of the nodes, and waits for node b.
func (l *lab) wantsTheBudget() {
	t := l.t
	t.Helper()
	l.holdBack("b")
	second := l.next("-second", func(r *v1alpha1.ValidationRun) {
		r.Spec.NodeNames, r.Spec.Selector = nil, &metav1.LabelSelector{MatchLabels: map[string]string{"lab": l.name}}
		r.Spec.OnFailure.MaxTaintedNodes = percent("20%")
	})
	second.plays = on("a", program{rate: 50})
	second.until("all but node b are measured", func() bool { return second.get().Status.Progress == "4/5" && len(second.pods()) == 0 })
	same(t, "node a gets the one taint that is allowed", unfit, l.standing("a"))
}

// TestARunOfTheSameName: a run that is made anew while a pod of its predecessor is left does not take that pod for its own.
func TestARunOfTheSameName(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	l.plays = always(program{forever: true})
	run := l.run()
	l.until("a pod runs", func() bool { return l.anyPod(corev1.PodRunning) })
	old := l.pods()[0]
	l.must(api.Patch(t.Context(), run, client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"finalizers":null}}`)))) // by a person in a hurry
	l.must(api.Delete(t.Context(), run))
	l.restart()
	l.run()
	for range 5 {
		l.pass()
	}
	same(t, "the pods", []string{old.Name}, names(l.pods()))
	contains(t, "the row of node a", l.message(l.get(), "a"), "waiting for run "+l.name+", which is measuring this node")
	l.must(api.Delete(t.Context(), &old, client.GracePeriodSeconds(0)))
	l.plays = nil
	same(t, "the conditions once it is gone", passed, state(l.finish()))
}

func names(pods []corev1.Pod) []string {
	var out []string
	for i := range pods {
		out = append(out, pods[i].Name)
	}
	return out
}
