package devicerules_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	resourcev1 "k8s.io/api/resource/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/controllers/devicerules"
)

// TestTheMarkIsWhatCounts: a rule comes, changes and goes with the mark of its node. Whoever deletes or edits the rule gets it back.
func TestTheMarkIsWhatCounts(t *testing.T) {
	manage(t)
	node := newNode(t, "n")
	publish(t, node, "n", ids("n", 8)...)
	stays(t, "without a mark")
	mark(t, node, "failed", "GPU-n-3")
	t.Logf("a rule came %s after the mark", ruled(t, "marked", "n/gpu-3 failed"))

	must(t, api.Delete(t.Context(), one(t)))
	if took := ruled(t, "deleted by hand", "n/gpu-3 failed"); took > time.Second {
		t.Errorf("it came back after %s", took)
	}
	for what, edit := range map[string]func(*resourcev1.DeviceTaintRule){
		"another device":   func(r *resourcev1.DeviceTaintRule) { r.Spec.DeviceSelector.Device = new("gpu-0") },
		"all devices":      func(r *resourcev1.DeviceTaintRule) { *r.Spec.DeviceSelector = resourcev1.DeviceTaintSelector{} },
		"another value":    func(r *resourcev1.DeviceTaintRule) { r.Spec.Taint.Value = "fine" },
		"without its node": func(r *resourcev1.DeviceTaintRule) { delete(r.Annotations, v1alpha1.AnnotationNode) },
		"of another node":  func(r *resourcev1.DeviceTaintRule) { r.Annotations[v1alpha1.AnnotationNode] = "elsewhere" },
		"of nothing":       func(r *resourcev1.DeviceTaintRule) { r.Annotations, r.OwnerReferences = nil, nil },
	} {
		rule := one(t)
		edit(rule)
		must(t, api.Update(t.Context(), rule))
		see(t, func() string {
			all := ours(t)
			if len(all) != 1 || all[0].Annotations[v1alpha1.AnnotationNode] != "n" || all[0].Annotations[v1alpha1.AnnotationDevice] != "GPU-n-3" || said(&all[0]) != "n/gpu-3 failed" {
				return fmt.Sprintf("edited by hand (%s): there is %+v", what, all)
			}
			return ""
		})
	}
	mark(t, node, "again", "GPU-n-3", "GPU-n-5")
	ruled(t, "marked otherwise", "n/gpu-3 again", "n/gpu-5 again")
	mark(t, node, "again", "GPU-n-5")
	ruled(t, "one is back", "n/gpu-5 again")
	mark(t, node, "")
	ruled(t, "the mark is gone")
}

// TestARuleFollowsItsDevice, wherever its driver publishes it, and is never left to another one.
func TestARuleFollowsItsDevice(t *testing.T) {
	manage(t)
	node := newNode(t, "n")
	publish(t, node, "n", "GPU-0", "GPU-1", "GPU-2")
	mark(t, node, "failed", "GPU-1")
	ruled(t, "at first", "n/gpu-1 failed")
	publish(t, node, "n", "GPU-2", "GPU-0", "GPU-1")
	ruled(t, "named otherwise", "n/gpu-2 failed")
	publish(t, node, "n", "GPU-1", "GPU-0", "GPU-2")
	ruled(t, "swapped", "n/gpu-0 failed")
	publish(t, node, "n", "GPU-7", "GPU-0", "GPU-2")
	ruled(t, "replaced in its slot")
	publish(t, node, "n", "GPU-1", "GPU-0", "GPU-2")
	ruled(t, "put back", "n/gpu-0 failed")
	withdraw(node, "n")
	stays(t, "withdrawn: it would come too late when the device is back", "n/gpu-0 failed")
	publish(t, node, "n", "GPU-0", "GPU-1", "GPU-2")
	ruled(t, "published anew", "n/gpu-1 failed")

	gone(t, node)
	ruled(t, "the node is gone")
	node = newNode(t, "n")
	publish(t, node, "n", "GPU-0", "GPU-1", "GPU-2")
	stays(t, "a node of the same name")
}

// TestANodeHasNoSayInOthersDevices: a kubelet publishes what it likes of its own node, and rules are about pools by name.
func TestANodeHasNoSayInOthersDevices(t *testing.T) {
	_, told := manage(t)
	victim, liar := newNode(t, "victim"), newNode(t, "liar")
	publish(t, liar, "victim", "GPU-1", "GPU-2")
	mark(t, liar, "failed", "GPU-1")
	hears(t, told, "device GPU-1 is not tainted: pool victim has the name of another node")
	stays(t, "a pool of another node's name")
	publish(t, victim, "victim", "GPU-0", "GPU-1")
	stays(t, "the pool of another node")
	mark(t, victim, "failed", "GPU-1")
	ruled(t, "the other's own", "victim/gpu-1 failed")
	publish(t, liar, "liar", "GPU-1")
	ruled(t, "the UUID on both", "victim/gpu-1 failed", "liar/gpu-0 failed")
	mark(t, liar, "")
	ruled(t, "the liar passed", "victim/gpu-1 failed")

	publish(t, liar, "shared", "GPU-5")
	mark(t, liar, "failed", "GPU-5")
	ruled(t, "a pool of its own", "victim/gpu-1 failed", "shared/gpu-0 failed")
	publish(t, victim, "shared", "GPU-6")
	ruled(t, "a pool that another publishes too", "victim/gpu-1 failed")
	withdraw(victim, "shared")
	ruled(t, "a pool of its own again", "victim/gpu-1 failed", "shared/gpu-0 failed")
	mark(t, liar, "")
	mark(t, victim, "")
	ruled(t, "both passed")
}

// TestANodeThatJoinsGetsItsPoolBack: a kubelet publishes its devices in the pool of a node that is still to come, and one of them is convicted. Once that node
// is there, the rule would be about its devices, which nobody has measured.
func TestANodeThatJoinsGetsItsPoolBack(t *testing.T) {
	manage(t)
	early := newNode(t, "early")
	publish(t, early, "late", "GPU-1", "GPU-2")
	mark(t, early, "failed", "GPU-1")
	ruled(t, "before the other one joins", "late/gpu-0 failed")
	late := newNode(t, "late")
	ruled(t, "its node is there, and has published nothing yet")
	gone(t, late)
	ruled(t, "its node has left", "late/gpu-0 failed")
	late = newNode(t, "late")
	publish(t, late, "late", "GPU-7", "GPU-8")
	ruled(t, "gpu-0 of pool late is GPU-7 of node late as well")
	mark(t, early, "")
	ruled(t, "passed")
}

// TestRulesOfOthersStay, also under the name that Assay would use.
func TestRulesOfOthersStay(t *testing.T) {
	stop, _ := manage(t)
	node := newNode(t, "n")
	publish(t, node, "n", ids("n", 8)...)
	mark(t, node, "failed", "GPU-n-3")
	ruled(t, "at first", "n/gpu-3 failed")
	theirs := one(t)
	stop()
	must(t, api.Delete(t.Context(), theirs))
	theirs.ResourceVersion, theirs.Labels, theirs.OwnerReferences = "", nil, nil
	must(t, api.Create(t.Context(), theirs))
	t.Cleanup(func() { _ = api.Delete(context.Background(), theirs.DeepCopy()) })
	_, told := manage(t)
	hears(t, told, "there is one of that name which is not Assay's")
	for range 2 {
		is := theirs.DeepCopy()
		must(t, api.Get(t.Context(), client.ObjectKeyFromObject(theirs), is))
		if is.ResourceVersion != theirs.ResourceVersion {
			t.Errorf("it was changed to %+v", is)
		}
		hears(t, told, "it is tried again within a minute")
	}
	must(t, api.Delete(t.Context(), theirs.DeepCopy()))
	ruled(t, "it is gone", "n/gpu-3 failed")
	mark(t, node, "")
	ruled(t, "passed")
}

// TestWhatALeaderLeavesBehind goes when the next one starts, and what one does late goes at once.
func TestWhatALeaderLeavesBehind(t *testing.T) {
	stop, _ := manage(t)
	node, other := newNode(t, "n"), newNode(t, "m")
	publish(t, node, "n", ids("n", 8)...)
	publish(t, other, "m", ids("m", 8)...)
	mark(t, node, "failed", "GPU-n-3")
	mark(t, other, "failed", "GPU-m-0")
	ruled(t, "at first", "n/gpu-3 failed", "m/gpu-0 failed")
	stop()
	mark(t, node, "")
	mark(t, other, "failed", "GPU-m-1")
	manage(t)
	manage(t) // two that both think they lead
	ruled(t, "the next leader", "m/gpu-1 failed")
	late := one(t)
	mark(t, other, "")
	ruled(t, "passed")
	late.ResourceVersion, late.UID = "", ""
	must(t, api.Create(t.Context(), late))
	ruled(t, "made late")
	stays(t, "made late")
}

// failing lets so many writes fail.
type failing struct {
	client.Client
	left atomic.Int32
}

var errRefused = errors.New("a webhook says no")

func (f *failing) Create(ctx context.Context, o client.Object, options ...client.CreateOption) error {
	if f.left.Add(-1) >= 0 {
		return errRefused
	}
	return f.Client.Create(ctx, o, options...)
}

func TestARuleThatIsRefusedIsTriedAgain(t *testing.T) {
	f := &failing{}
	f.left.Store(3)
	_, told := manage(t, func(r *devicerules.Reconciler) { f.Client, r.Client = r.Client, f })
	node := newNode(t, "n")
	publish(t, node, "n", ids("n", 8)...)
	mark(t, node, "failed", "GPU-n-3")
	for range 3 {
		hears(t, told, "of device GPU-n-3: "+errRefused.Error()+"; it is tried again within a minute")
	}
	ruled(t, "in the end", "n/gpu-3 failed")
	mark(t, node, "")
	ruled(t, "passed")
}

// TestNothingIsWrittenForWhatWasSo: the cache shows a mark that the node does not have any more.
func TestNothingIsWrittenForWhatWasSo(t *testing.T) {
	stale := &stale{}
	manage(t, func(r *devicerules.Reconciler) { stale.Client, r.Client = r.Client, stale })
	node := newNode(t, "n")
	publish(t, node, "n", ids("n", 8)...)
	stale.marked.Store(true)
	mark(t, node, "failed", "GPU-n-77") // wakes the controller
	stays(t, "the cache lies")
}

// stale shows every node with a mark.
type stale struct {
	client.Client
	marked atomic.Bool
}

func (s *stale) Get(ctx context.Context, key client.ObjectKey, o client.Object, options ...client.GetOption) error {
	err := s.Client.Get(ctx, key, o, options...)
	if err == nil && s.marked.Load() {
		o.SetAnnotations(map[string]string{v1alpha1.AnnotationQuarantine: `{"id":"q","key":"assay.dev/unfit","value":"failed","effect":"NoSchedule","devices":["GPU-n-3"]}`})
	}
	return err
}
