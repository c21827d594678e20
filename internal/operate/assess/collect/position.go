package collect

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/measure/workload"
)

// clocksDiffer by less than this.
const clocksDiffer = time.Minute

// Measuring says which program runs on a node now; nil: none that is believed.
func (s *Collected) Measuring(n *CollectedNode) *v1alpha1.Measuring {
	if len(n.Pods) > 0 {
		p := n.Pods[len(n.Pods)-1]
		if p.Ended || p.Waits != "" || p.Task < 0 {
			return nil
		}
		return &v1alpha1.Measuring{Benchmark: s.Tasks[p.Task].Name(), Attempt: p.Attempt, Since: s.began(p.Pod, p.Pod.CreationTimestamp)}
	}
	g := s.groupAtWork(n.Name)
	if g == nil || g.Jobs[0].Ended || g.Jobs[0].waits != "" {
		return nil
	}
	j := g.Jobs[0]
	since := metav1.NewTime(j.Facts.Created)
	for _, p := range j.Facts.Pods {
		if p.Launcher {
			since = s.began(p.Pod, since)
		}
	}
	return &v1alpha1.Measuring{Benchmark: s.Tasks[g.Task].Name(), Attempt: j.Attempt, Round: j.Round, Since: since}
}

// began is when a pod's program began, which may be long after the pod was created: the image is pulled first. A node's clock may be off a little;
// a time that cannot be true is not believed, and created counts.
func (s *Collected) began(p *corev1.Pod, created metav1.Time) metav1.Time {
	for _, c := range p.Status.ContainerStatuses {
		if c.Name != workload.ProgramContainer || c.State.Running == nil {
			continue
		}
		if at := c.State.Running.StartedAt; at.After(created.Time) && at.Time.Before(s.Now.Add(clocksDiffer)) {
			return at
		}
	}
	return created
}

// GroupMessage says what a node does in its group just now; empty: it is in none that has an MPIJob.
func (s *Collected) GroupMessage(name string) string {
	g := s.groupAtWork(name)
	if g == nil {
		return ""
	}
	switch j := g.Jobs[0]; {
	case j.Ended:
		return AttemptCollected(j.Attempt, "MPIJob "+j.Name)
	case j.waits != "":
		return j.waits
	default:
		return groupRuns(s.Tasks[g.Task].Name(), g.Others(name), j.Name)
	}
}

// groupAtWork is the group with an MPIJob that a node is in; nil: none.
func (s *Collected) groupAtWork(name string) *CollectedGroup {
	var g *CollectedGroup
	for _, o := range s.Groups {
		if len(o.Jobs) > 0 && slices.Contains(o.Names(), name) && (g == nil || o.ID < g.ID) {
			g = o
		}
	}
	return g
}

// AttemptCollected is for what still exists of an attempt that is stored.
func AttemptCollected(attempt int32, source string) string {
	return fmt.Sprintf("attempt %d is stored; %s is being removed", attempt, source)
}
