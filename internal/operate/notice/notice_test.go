package notice

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/reader/export"
	"github.com/assay-dev/assay/test/testdata"
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

// TestOneGPUOut: whoever is told reads which devices have the taint, and that the others may be used.
func TestOneGPUOut(t *testing.T) {
	var all []export.Run
	testdata.OneGPUOut(&all)
	r, q := &all[0].Results[0], all[0].Validations[0].Quarantine
	const uuid = "GPU-7f0c0003-52aa-4c1e-9d1b-3c5e8a6b20f3"
	n := OfTaint(r.Node, q, r)
	if want := "Node node-3: 1 of 8 GPUs out of service since 2026-03-01T10:10:00Z by run rack-9: gpu3 (" + uuid + "): gpu3 (" + uuid +
		") is slow, and the cause is not known. "; !strings.HasPrefix(n.Text, want) || !strings.HasSuffix(n.Text, ". The node's other devices may be used") || !slices.Equal(n.Node.Devices, []string{uuid}) {
		t.Errorf("it says %s of devices %v", n.Text, n.Node.Devices)
	}
	if n := OfLift(r.Node, q, nil, "it passed"); !slices.Equal(n.Node.Devices, []string{uuid}) || n.Node.Taint != "assay.dev/unfit=failed:NoSchedule" || n.ID != "TaintRemoved/q-9" {
		t.Errorf("its lift is %+v of %s", n.Node, n.ID)
	}
	if n := OfTaint(r.Node, q, nil); !strings.Contains(n.Text, ": 1 GPU out of service since") {
		t.Errorf("without a result it says %s", n.Text)
	}
}
