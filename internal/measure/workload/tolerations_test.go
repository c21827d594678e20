package workload

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

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
