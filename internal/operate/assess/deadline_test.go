package assess

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
)

func unpullable(p *corev1.Pod) {
	p.Status.Phase = corev1.PodPending
	p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: workload.ProgramContainer, Image: "example.com/stream:v9",
		State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff", Message: "not found"}}}}
}

func unschedulable(p *corev1.Pod) {
	p.Spec.NodeName = ""
	p.Status.Phase = corev1.PodPending
	p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Message: "0/2 nodes are available: 2 Insufficient memory."}}
}

// TestTheDeadlineSaysWhatANodeWaitedFor: what a pod waited for is said of its node also when the pod is gone.
func TestTheDeadlineSaysWhatANodeWaitedFor(t *testing.T) {
	const passed = "; activeDeadlineSeconds (40) passed first: remove what delayed the node, or raise it"
	says := func(change func(*corev1.Pod)) string {
		in := soloRun("a")
		return workload.Observe(addPod(&in, "a", 1, change), time.Minute, in.Now).Message
	}
	for sentence, c := range map[string]struct {
		change func(*observe.Input)
		want   string
	}{
		"its image could not be pulled": {func(in *observe.Input) { addPod(in, "a", 1, unpullable) },
			says(unpullable) + passed},
		"its pod could not be scheduled": {func(in *observe.Input) { addPod(in, "a", 1, unschedulable) },
			says(unschedulable) + passed},
		"its program still ran": {func(in *observe.Input) { addPod(in, "a", 1, running) },
			"the program had run for 28 s (its timeoutSeconds allows 300)" + passed},
		"another run held it": {func(in *observe.Input) {
			in.Busy = map[string]string{"a": "waiting for run nightly, which is measuring this node"}
		},
			"waiting for run nightly, which is measuring this node" + passed},
		"its turn had not come": {func(in *observe.Input) { in.Run.Spec.MaxConcurrentNodes = new(intstr.FromInt32(1)) },
			"waiting for its turn (maxConcurrentNodes allows 1 at once)" + passed},
		"nothing is known": {func(*observe.Input) {}, "not measured within activeDeadlineSeconds (40): raise it, or measure more nodes at once"},
	} {
		t.Run(sentence, func(t *testing.T) {
			in := soloRun("a", "b")
			in.Run.Spec.ActiveDeadlineSeconds = new(int64(40))
			in.Run.Status.StartTime.Time = in.Now.Add(-40 * time.Second)
			c.change(&in)
			first, err := assessed(in)
			if err != nil {
				t.Fatal(err)
			}
			in.Pods, in.CutShort = nil, first.CutShort // as a writer does: the pods go, and what they waited for is kept
			in.Now = in.Now.Add(time.Second)
			second, err := assessed(in)
			if err != nil {
				t.Fatal(err)
			}
			row := second.Report(Written{}).Status.Nodes[0]
			if diff := cmp.Diff("stream: "+c.want, row.Message); diff != "" || row.Verdict != v1alpha1.VerdictMissing {
				t.Errorf("the row is %s (-want +got):\n%s", row.Verdict, diff)
			}
		})
	}
}
