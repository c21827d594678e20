package assess

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/rule"
	"github.com/assay-dev/assay/internal/judge/verdict"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/operate/assess/collect"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
	"github.com/assay-dev/assay/internal/operate/plan"
	"github.com/assay-dev/assay/internal/quantity"
)

const (
	maxRows       = 100
	maxRowMessage = 512
)

// rows are the nodes, worst first, as many as the API shows.
func (s *Concluded) rows() []v1alpha1.NodeRow {
	ordered := slices.Clone(s.nodes)
	slices.SortFunc(ordered, func(a, b *concludedNode) int {
		return cmp.Or(cmp.Compare(verdict.Severity(b.verdict), verdict.Severity(a.verdict)), cmp.Compare(a.Name, b.Name))
	})
	return list.Map(ordered[:min(len(ordered), maxRows)], s.row)
}

func (s *Concluded) row(n *concludedNode) v1alpha1.NodeRow {
	row := v1alpha1.NodeRow{Name: n.Name, Verdict: n.verdict, Reason: n.reason, Tainted: n.tainted,
		Message: quantity.Clip(n.message, maxRowMessage)}
	for _, d := range n.Decisions {
		row.Metrics = append(row.Metrics, d.Headline...)
	}
	row.Metrics = row.Metrics[:min(len(row.Metrics), 32)]
	if n.final() {
		row.Note = quantity.Clip(n.note, maxRowMessage)
		return row
	}
	reason, message := s.position(n)
	row.Reason, row.Message = reason, quantity.Clip(message, maxRowMessage)
	row.Measuring = s.Measuring(n.CollectedNode)
	return row
}

// position says where a node is that has no verdict yet: what its pod does or waits for, or else what the node waits for.
func (s *Concluded) position(n *concludedNode) (reason, text string) {
	if n.Postponed {
		return v1alpha1.ReasonRunning, "all is measured; the verdict is being stored, after those of other nodes"
	}
	if len(n.Pods) > 0 {
		return v1alpha1.ReasonRunning, podMessage(n.Pods[len(n.Pods)-1])
	}
	if why, ok := s.plan.Waiting[n.Name]; ok {
		return v1alpha1.ReasonWaiting, why
	}
	if why := s.GroupMessage(n.Name); why != "" {
		return v1alpha1.ReasonRunning, why
	}
	if s.Run.Spec.Suspend {
		return v1alpha1.ReasonWaiting, plan.RunSuspended
	}
	for _, a := range s.plan.Actions {
		if a.Kind == plan.Launch && observe.Started(s.Run) && (a.Node == n.Name || a.Group != "" && slices.Contains(s.Groups[a.Group].Names(), n.Name)) {
			return v1alpha1.ReasonRunning, fmt.Sprintf("attempt %d of %s is starting", a.Attempt, a.Benchmark)
		}
	}
	for _, d := range n.Decisions {
		if d.Verdict == v1alpha1.VerdictPending && d.Message != "" {
			return v1alpha1.ReasonRunning, d.Message
		}
	}
	return v1alpha1.ReasonWaiting, rule.NotMeasuredYet
}

// podMessage says what a pod does, for a row in the table.
func podMessage(p *collect.CollectedPod) string {
	switch {
	case p.Ended && p.Attempt > 0:
		return collect.AttemptCollected(p.Attempt, "pod "+p.Pod.Name)
	case p.Ended:
		return fmt.Sprintf("pod %s is being removed", p.Pod.Name)
	case p.Waits != "":
		return p.Waits
	}
	return fmt.Sprintf("pod %s is running", p.Pod.Name)
}
