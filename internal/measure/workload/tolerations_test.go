package workload

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// TestOvertaken: only a pod that waits in vain makes way, and only for one that would not.
func TestOvertaken(t *testing.T) {
	team := corev1.Taint{Key: "team", Value: "hpc", Effect: corev1.TaintEffectNoSchedule}
	unfit := corev1.Taint{Key: "site/unfit", Value: "failed", Effect: corev1.TaintEffectNoExecute}
	quarantine := &v1alpha1.Quarantine{Key: unfit.Key, Effect: unfit.Effect}
	type change func(*corev1.Pod)
	cases := map[string]struct {
		before, now []corev1.Taint
		quarantine  *v1alpha1.Quarantine
		change      change
		want        string
	}{
		"a taint came":                       {now: []corev1.Taint{team}, want: "team"},
		"the taint was there":                {before: []corev1.Taint{team}, now: []corev1.Taint{team}},
		"it has another value by now":        {before: []corev1.Taint{{Key: "team", Value: "ai", Effect: team.Effect}}, now: []corev1.Taint{team}},
		"it is gone":                         {before: []corev1.Taint{team}},
		"another one came":                   {before: []corev1.Taint{team}, now: []corev1.Taint{team, {Key: "spare", Effect: team.Effect}}, want: "spare"},
		"it only asks to be avoided":         {now: []corev1.Taint{{Key: "team", Effect: corev1.TaintEffectPreferNoSchedule}}},
		"Assay's own came":                   {now: []corev1.Taint{{Key: v1alpha1.DefaultTaintKey, Effect: corev1.TaintEffectNoExecute}}},
		"another run quarantined the node":   {now: []corev1.Taint{unfit}, quarantine: quarantine, want: unfit.Key},
		"no pod would tolerate it":           {now: []corev1.Taint{unfit}},
		"the node is leaving":                {now: []corev1.Taint{{Key: "karpenter.sh/disrupted", Effect: team.Effect}}},
		"the pod was placed before":          {now: []corev1.Taint{team}, change: func(p *corev1.Pod) { p.Spec.NodeName = "gpu-1" }},
		"the scheduler has not looked at it": {now: []corev1.Taint{team}, change: func(p *corev1.Pod) { p.Status.Conditions = nil }},
		"nothing is known of its spec":       {now: []corev1.Taint{team}, change: func(p *corev1.Pod) { p.Spec = corev1.PodSpec{} }},
	}
	for sentence, c := range cases {
		t.Run(sentence, func(t *testing.T) {
			l := launch(func(l *Launch) { l.Node.Spec.Taints = c.before })
			pod := Pod(l, settings)
			pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable}}
			if c.change != nil {
				c.change(pod)
			}
			l.Node.Spec.Taints = c.now
			got := ""
			if by := Overtaken(pod, l.Node, nil, c.quarantine); by != nil {
				got = by.Key
			}
			if got != c.want {
				t.Errorf("overtaken by %q, want %q", got, c.want)
			}
		})
	}
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
		if got := Evicted(pod); got != c.want {
			t.Errorf("%s: %v, want %v", sentence, got, c.want)
		}
	}
}
