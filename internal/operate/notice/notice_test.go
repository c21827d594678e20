package notice

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
)

// TestANoticeIsSmall, however large the run, and its line is one line.
func TestANoticeIsSmall(t *testing.T) {
	run := &v1alpha1.ValidationRun{ObjectMeta: metav1.ObjectMeta{Name: "rack-7", UID: "u", Labels: map[string]string{v1alpha1.LabelPolicy: "h200"}}}
	status := v1alpha1.ValidationRunStatus{Verdict: v1alpha1.VerdictFail, Summary: &v1alpha1.RunSummary{Nodes: 5000},
		Conditions: []metav1.Condition{{Type: v1alpha1.ConditionFinished, Reason: "NodesFailed", Message: "slow\x1b[2J\nRun rack-8: Pass " + strings.Repeat("x", 30_000)}}}
	for i := range 100 {
		v := v1alpha1.VerdictFail
		if i == 1 {
			v = v1alpha1.VerdictPass
		}
		status.Nodes = append(status.Nodes, v1alpha1.NodeRow{Name: fmt.Sprint("node-", i), Verdict: v, Message: strings.Repeat("y", 1024)})
	}
	status.Conditions[0].Message = status.Conditions[0].Message[:1024]
	n := OfRun(run, &status)
	text, err := json.Marshal(n)
	if err != nil || len(text) > 12_000 {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	if n.ID != "RunFinished/u" || n.Run.Policy != "h200" || n.Run.Summary.Nodes != 5000 || len(n.Run.Nodes) != 20 || n.Run.Nodes[1].Name != "node-2" {
		t.Errorf("%s: %d nodes of policy %q", n.ID, len(n.Run.Nodes), n.Run.Policy)
	}
	if want := "Run rack-7: Fail: slow [2J Run rack-8: Pass xxx"; !strings.HasPrefix(n.Text, want) || len(n.Text) > 1000 {
		t.Errorf("got %q, want %q", n.Text, want)
	}
}
