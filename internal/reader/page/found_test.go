package page_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/reader/export"
	"github.com/assay-dev/assay/test/page/runs"
)

// table is a run of which only the table of nodes is known: so many nodes with each verdict, and so many slow links.
func table(links int, nodes map[v1alpha1.Verdict]int) export.Run {
	run := runs.Demo()[0].Run.DeepCopy()
	run.Status.Nodes, run.Status.Findings = nil, nil
	for verdict, n := range nodes {
		for i := range n {
			name := strings.ToLower(fmt.Sprintf("%s-%02d", verdict, i))
			run.Status.Nodes = append(run.Status.Nodes, v1alpha1.NodeRow{Name: name, Verdict: verdict, Message: "why"})
		}
	}
	for i := range links {
		run.Status.Findings = append(run.Status.Findings, v1alpha1.FabricFinding{Kind: "Link", Benchmark: "mpibench", Members: []string{fmt.Sprint("a", i), fmt.Sprint("b", i)}, Message: "slow"})
	}
	return export.Run{Run: run}
}

func TestFindingsAreLimitedAndCounted(t *testing.T) {
	for name, tt := range map[string]struct {
		links, named, shownLinks int
		nodes                    map[v1alpha1.Verdict]int
		more                     []string
	}{
		"nodes that are to come are not counted": {0, 30, 0, map[v1alpha1.Verdict]int{v1alpha1.VerdictFail: 40, v1alpha1.VerdictPending: 24, v1alpha1.VerdictPass: 9}, []string{"and 10 nodes more: see the table of nodes"}},
		"as many as there is room for":           {30, 30, 30, map[v1alpha1.Verdict]int{v1alpha1.VerdictFail: 30}, nil},
		"many links hide no node":                {31, 1, 30, map[v1alpha1.Verdict]int{v1alpha1.VerdictFail: 1}, []string{"and 1 finding more: kubectl assay report sample has all of them"}},
		"many of both":                           {45, 30, 30, map[v1alpha1.Verdict]int{v1alpha1.VerdictError: 31}, []string{"and 15 findings more: ", "and 1 node more: "}},
	} {
		t.Run(name, func(t *testing.T) {
			html := write(t, table(tt.links, tt.nodes))
			list := regexp.MustCompile(`(?s)<ul class="found">.*?</ul>`).FindString(html)
			if n := len(regexp.MustCompile(`>(fail|error)-\d\d`).FindAllString(list, -1)); n != tt.named {
				t.Errorf("%d nodes are named, want %d", n, tt.named)
			}
			if n := strings.Count(list, "Link a"); n != tt.shownLinks {
				t.Errorf("%d links are named, want %d", n, tt.shownLinks)
			}
			if n := strings.Count(list, " more: "); n != len(tt.more) {
				t.Errorf("%d lines count the rest, want %d", n, len(tt.more))
			}
			shows(t, list, tt.more...)
		})
	}
}

// The same fault on several nodes is one row, which unfolds.
func TestOneFaultOfSeveralNodesIsOneRow(t *testing.T) {
	run := table(0, map[v1alpha1.Verdict]int{v1alpha1.VerdictFail: 40})
	for _, row := range run.Run.Status.Nodes {
		finding := v1alpha1.Finding{Metric: "hbmTriad", At: "gpu1", Rule: "FleetDeviation", Verdict: v1alpha1.VerdictFail,
			RuleNumbers: v1alpha1.RuleNumbers{Value: "4000", Typical: "4400", Bound: "4300", Unit: "GB/s"}}
		b := v1alpha1.BenchmarkResult{Name: "gpustream", Verdict: v1alpha1.VerdictFail, Message: "gpu1 is slow", Findings: []v1alpha1.Finding{finding},
			Attempts: []v1alpha1.Attempt{{Verdict: v1alpha1.VerdictPass, Devices: []v1alpha1.Device{{Index: 1, UUID: "GPU-1a2b"}},
				Facts: []v1alpha1.Fact{{Name: "rowsRemappedUncorrected", At: "gpu1", Value: "2"}, {Name: "gpuSerial", At: "gpu1", Value: "165"}}}}}
		run.Results = append(run.Results, v1alpha1.ValidationResult{Run: v1alpha1.ObjectReference{UID: run.Run.UID}, Node: v1alpha1.ObjectReference{Name: row.Name},
			Verdict: v1alpha1.VerdictFail, Benchmarks: []v1alpha1.BenchmarkResult{b}})
	}
	html := write(t, run)
	list := regexp.MustCompile(`(?s)<ul class="found">.*?</section>`).FindString(html)
	shows(t, html, "fail-00 gpu1, fail-01 gpu1, fail-02 gpu1, fail-03 gpu1 and 36 more: has bad memory. Reset the GPU")
	shows(t, list, "<b>gpu1 (GPU-1a2b) has bad memory: its rowsRemappedUncorrected is 2</b>", "serial 165", `<rect y="3" height="10" width="216.4"/>`,
		"gpustream hbmTriad of gpu1: 4 TB/s, typical 4.4 TB/s, bound 4.3 TB/s, worse than others like it", "<code class=\"copy\">nvidia-smi -q -d ECC,ROW_REMAPPER -i GPU-1a2b</code>",
		"<summary>the same at 39 other parts</summary>", "and 10 more: see the table of nodes")
	if n := strings.Count(list, `<li class="fail">`); n != 1 {
		t.Errorf("%d rows", n)
	}
}

// Where the operator takes the measurement for a likelier suspect than the nodes, so does the page.
func TestNobodyIsToldToRepairNodesWhoseMeasurementIsInDoubt(t *testing.T) {
	run := table(0, map[v1alpha1.Verdict]int{v1alpha1.VerdictFail: 2})
	const advice = "2 of 2 nodes failed: check the expectations"
	run.Run.Status.Verdict = v1alpha1.VerdictInconclusive
	run.Run.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionFinished, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonBreakerOpen, Message: advice}}
	html := write(t, run)
	shows(t, html, advice)
	if strings.Contains(html, "Repair or replace") {
		t.Error("the page says that nodes are to be repaired")
	}
}

// What is slow between nodes, and who was not measured, is told in front by name.
func TestWhatToDoNamesLinksAndUnmeasuredNodes(t *testing.T) {
	run := table(6, map[v1alpha1.Verdict]int{v1alpha1.VerdictError: 5})
	run.Run.Status.Summary = &v1alpha1.RunSummary{Nodes: 5, Errored: 5}
	shows(t, write(t, run), "<li>Link a0, b0: slow, and the nodes may be fine by themselves. Swap the cable first, then the switch ports; look at routes last.</li>",
		"<li>2 more between nodes: see the findings.</li>",
		"<li>error-00, error-01, error-02, error-03 and 1 more: not measured, so neither proved fit nor tainted. The findings say why.</li>")
}
