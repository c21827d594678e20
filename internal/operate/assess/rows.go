package assess

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/rule"
	"github.com/assay-dev/assay/internal/judge/verdict"
	"github.com/assay-dev/assay/internal/measure/workload"
	"github.com/assay-dev/assay/internal/operate/plan"
	"github.com/assay-dev/assay/internal/quantity"
)

const (
	maxRows       = 100
	maxRowMessage = 512
	// clocksDiffer by less than this.
	clocksDiffer = time.Minute
)

// rows are the nodes, worst first, as many as the API shows.
func (s *Concluded) rows() []v1alpha1.NodeRow {
	ordered := slices.Clone(s.nodes)
	slices.SortFunc(ordered, func(a, b *concludedNode) int {
		return cmp.Or(cmp.Compare(verdict.Severity(b.verdict), verdict.Severity(a.verdict)), cmp.Compare(a.name, b.name))
	})
	var rows []v1alpha1.NodeRow
	for _, n := range ordered[:min(len(ordered), maxRows)] {
		rows = append(rows, s.row(n))
	}
	return rows
}

func (s *Concluded) row(n *concludedNode) v1alpha1.NodeRow {
	row := v1alpha1.NodeRow{Name: n.name, Verdict: n.verdict, Reason: n.reason, Tainted: n.tainted(),
		Message: quantity.Clip(n.message, maxRowMessage)}
	for _, d := range n.decisions {
		row.Metrics = append(row.Metrics, d.Headline...)
	}
	row.Metrics = row.Metrics[:min(len(row.Metrics), 32)]
	if n.final() {
		row.Note = quantity.Clip(n.note, maxRowMessage)
		return row
	}
	reason, message := s.position(n)
	row.Reason, row.Message = reason, quantity.Clip(message, maxRowMessage)
	row.Measuring = s.measuring(n.collectedNode)
	return row
}

// measuring says which program runs on a node now; nil: none that is believed.
func (s *Collected) measuring(n *collectedNode) *v1alpha1.Measuring {
	if len(n.pods) > 0 {
		p := n.pods[len(n.pods)-1]
		if p.ended || p.waits != "" || p.task < 0 {
			return nil
		}
		return &v1alpha1.Measuring{Benchmark: s.tasks[p.task].Name(), Attempt: p.attempt, Since: s.began(p.pod, p.pod.CreationTimestamp)}
	}
	g := s.groupAtWork(n.name)
	if g == nil || g.jobs[0].ended || g.jobs[0].waits != "" {
		return nil
	}
	j := g.jobs[0]
	since := metav1.NewTime(j.facts.Created)
	for _, p := range j.facts.Pods {
		if p.Launcher {
			since = s.began(p.Pod, since)
		}
	}
	return &v1alpha1.Measuring{Benchmark: s.tasks[g.task].Name(), Attempt: j.attempt, Round: j.round, Since: since}
}

// began is when a pod's program began, which may be long after the pod was created: the image is pulled first. A node's clock may be off a little;
// a time that cannot be true is not believed, and created counts.
func (s *Collected) began(p *corev1.Pod, created metav1.Time) metav1.Time {
	for _, c := range p.Status.ContainerStatuses {
		if c.Name != workload.ProgramContainer || c.State.Running == nil {
			continue
		}
		if at := c.State.Running.StartedAt; at.After(created.Time) && at.Time.Before(s.now.Add(clocksDiffer)) {
			return at
		}
	}
	return created
}

// position says where a node is that has no verdict yet: what its pod does or waits for, or else what the node waits for.
func (s *Concluded) position(n *concludedNode) (reason, text string) {
	if n.postponed {
		return v1alpha1.ReasonRunning, "all is measured; the verdict is being stored, after those of other nodes"
	}
	if len(n.pods) > 0 {
		return v1alpha1.ReasonRunning, podMessage(n.pods[len(n.pods)-1])
	}
	if why, ok := s.plan.Waiting[n.name]; ok {
		return v1alpha1.ReasonWaiting, why
	}
	if why := s.groupMessage(n.name); why != "" {
		return v1alpha1.ReasonRunning, why
	}
	if s.run.Spec.Suspend {
		return v1alpha1.ReasonWaiting, plan.RunSuspended
	}
	for _, a := range s.plan.Actions {
		if a.Kind == plan.Launch && Started(s.run) && (a.Node == n.name || a.Group != "" && slices.Contains(s.groups[a.Group].names(), n.name)) {
			return v1alpha1.ReasonRunning, fmt.Sprintf("attempt %d of %s is starting", a.Attempt, a.Benchmark)
		}
	}
	for _, d := range n.decisions {
		if d.Verdict == v1alpha1.VerdictPending && d.Message != "" {
			return v1alpha1.ReasonRunning, d.Message
		}
	}
	return v1alpha1.ReasonWaiting, rule.NotMeasuredYet
}

// podMessage says what a pod does, for a row in the table.
func podMessage(p *collectedPod) string {
	switch {
	case p.ended && p.attempt > 0:
		return attemptCollected(p.attempt, "pod "+p.pod.Name)
	case p.ended:
		return fmt.Sprintf("pod %s is being removed", p.pod.Name)
	case p.waits != "":
		return p.waits
	}
	return fmt.Sprintf("pod %s is running", p.pod.Name)
}

// groupMessage says what a node does in its group just now; empty: it is in none that has an MPIJob.
func (s *Collected) groupMessage(name string) string {
	g := s.groupAtWork(name)
	if g == nil {
		return ""
	}
	switch j := g.jobs[0]; {
	case j.ended:
		return attemptCollected(j.attempt, "MPIJob "+j.name)
	case j.waits != "":
		return j.waits
	default:
		return groupRuns(s.tasks[g.task].Name(), g.others(name), j.name)
	}
}

// groupAtWork is the group with an MPIJob that a node is in; nil: none.
func (s *Collected) groupAtWork(name string) *collectedGroup {
	var g *collectedGroup
	for _, o := range s.groups {
		if len(o.jobs) > 0 && slices.Contains(o.names(), name) && (g == nil || o.id < g.id) {
			g = o
		}
	}
	return g
}

func attemptCollected(attempt int32, source string) string {
	return fmt.Sprintf("attempt %d is stored; %s is being removed", attempt, source)
}
