package assess

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/internal/measure/workload"
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
			s := pairsScope(1, 1)
			s.deadline = s.now.Add(time.Hour)
			for _, n := range s.nodes {
				n.facts = plan.Facts{Exists: true, Ready: true}
			}
			s.nodes[0].facts.Ready = c.ready
			worker := workerPod(0, 0, s.now)
			worker.Spec.NodeName = s.nodes[0].name
			evicted(worker)
			collected := collect(s)
			g := inOrder(collected.groups)[0]
			g.jobs[0].facts.Pods = []workload.JobPod{{Pod: worker}}
			late := collected.overtakesJob(g, g.jobs[0])
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
