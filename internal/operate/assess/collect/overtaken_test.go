package collect

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
	"github.com/assay-dev/assay/internal/operate/plan"
)

// TestPodsOfAJobAskTheirOwnNode whether a taint came too late for them: one that is placed has nothing to do with the nodes of the others.
func TestPodsOfAJobAskTheirOwnNode(t *testing.T) {
	evicted := func(p *corev1.Pod) {
		p.DeletionTimestamp = &metav1.Time{}
		p.Status.Conditions = []corev1.PodCondition{{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: "DeletionByTaintManager"}}
	}
	for sentence, c := range map[string]struct {
		ready bool
		want  string
	}{
		"evicted from a node that can take another":                          {true, "node-00000"},
		"evicted from a node that can take none, while the other node waits": {false, ""},
	} {
		t.Run(sentence, func(t *testing.T) {
			ready := []bool{c.ready, true}
			now, pair := time.Unix(1_700_000_000, 0), &CollectedGroup{ObservedGroup: &observe.ObservedGroup{}}
			s := &Collected{Observed: &observe.Observed{Input: observe.Input{Now: now, Run: &v1alpha1.ValidationRun{}}, Deadline: now.Add(time.Hour)}}
			for i, name := range []string{"node-00000", "node-00001"} {
				n := &observe.ObservedNode{Name: name, Node: &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}, Facts: plan.Facts{Exists: true, Ready: ready[i]}}
				s.Nodes, pair.Nodes = append(s.Nodes, &CollectedNode{ObservedNode: n}), append(pair.Nodes, v1alpha1.ObjectReference{Name: name})
			}
			worker := &corev1.Pod{Spec: corev1.PodSpec{NodeName: "node-00000"}}
			evicted(worker)
			late := s.overtakesJob(pair, &CollectedJob{ObservedJob: &observe.ObservedJob{Facts: workload.JobFacts{Pods: []workload.JobPod{{Pod: worker}}}}})
			if got := nodeOf(late); got != c.want {
				t.Errorf("a taint of node %q is said to be too late for the job, want %q", got, c.want)
			}
		})
	}
}

func nodeOf(l *latecomer) string {
	if l == nil {
		return ""
	}
	return l.node
}

func TestEvicted(t *testing.T) {
	disrupted := func(reason string, status corev1.ConditionStatus) []corev1.PodCondition {
		return []corev1.PodCondition{{Type: corev1.DisruptionTarget, Status: status, Reason: reason}}
	}
	going := &metav1.Time{Time: time.Unix(0, 0)}
	for sentence, c := range map[string]struct {
		conditions []corev1.PodCondition
		deleted    *metav1.Time
		want       bool
	}{
		"by a taint":                    {disrupted("DeletionByTaintManager", corev1.ConditionTrue), going, true},
		"it is not deleted yet":         {disrupted("DeletionByTaintManager", corev1.ConditionTrue), nil, false},
		"the taint was taken away":      {disrupted("DeletionByTaintManager", corev1.ConditionFalse), going, false},
		"by its kubelet":                {disrupted("TerminationByKubelet", corev1.ConditionTrue), going, false},
		"preempted":                     {disrupted("PreemptionByScheduler", corev1.ConditionTrue), going, false},
		"somebody deleted it":           {nil, going, false},
		"it goes on as if nothing were": {nil, nil, false},
	} {
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{DeletionTimestamp: c.deleted}, Status: corev1.PodStatus{Conditions: c.conditions}}
		if got := evicted(pod); got != c.want {
			t.Errorf("%s: %v, want %v", sentence, got, c.want)
		}
	}
}
