package assess

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/verdict"
)

const (
	maxRows       = 100
	maxRowMessage = 512
)

// rows are the nodes, worst first, as many as the API shows.
func (s *state) rows() []v1alpha1.NodeRow {
	ordered := slices.Clone(s.nodes)
	slices.SortFunc(ordered, func(a, b *Node) int {
		return cmp.Or(cmp.Compare(verdict.Severity(b.verdict), verdict.Severity(a.verdict)), cmp.Compare(a.name, b.name))
	})
	var rows []v1alpha1.NodeRow
	for _, n := range ordered[:min(len(ordered), maxRows)] {
		rows = append(rows, s.row(n))
	}
	return rows
}

func (s *state) row(n *Node) v1alpha1.NodeRow {
	row := v1alpha1.NodeRow{Name: n.name, Verdict: n.verdict, Reason: n.reason, Tainted: n.tainted(),
		Message: verdict.Clip(n.message, maxRowMessage)}
	if n.remark != "" {
		remark := verdict.Clip(n.remark, maxRowMessage/2)
		row.Message = verdict.Clip(n.message, maxRowMessage-len(remark)-2) + "; " + remark
	}
	for _, d := range n.decisions {
		row.Metrics = append(row.Metrics, d.Headline...)
	}
	row.Metrics = row.Metrics[:min(len(row.Metrics), 32)]
	if n.final() {
		return row
	}
	row.Reason, row.Message = v1alpha1.ReasonRunning, "waits for the rest of the fleet to be compared with"
	if why := s.groupMessage(n.name); why != "" {
		row.Message = verdict.Clip(why, maxRowMessage)
	}
	if why, ok := s.plan.Waiting[n.name]; ok {
		row.Reason, row.Message = v1alpha1.ReasonWaiting, why
	}
	for _, p := range n.pods {
		row.Reason, row.Message = v1alpha1.ReasonRunning, verdict.Clip(podMessage(p), maxRowMessage)
	}
	return row
}

// podMessage says which pod the message is about, for a row in the table.
func podMessage(p *Pod) string {
	if p.waits == "" {
		return fmt.Sprintf("pod %s runs", p.pod.Name)
	}
	return p.waits
}
