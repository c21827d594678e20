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
			if n := len(regexp.MustCompile(`(fail|error)-\d\d`).FindAllString(list, -1)); n != tt.named {
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
