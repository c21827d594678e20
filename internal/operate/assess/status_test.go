package assess

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/summary"
	"github.com/assay-dev/assay/internal/judge/verdict"
	"github.com/assay-dev/assay/internal/operate/assess/collect"
	"github.com/assay-dev/assay/internal/operate/assess/judge"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
)

// fullScope has nodes whose rows hold all that the API allows: 253-character names, long messages, 32 headline metrics.
func fullScope(nodes int) *Concluded {
	run := &v1alpha1.ValidationRun{}
	s := &observe.Observed{Input: observe.Input{Run: run, Now: time.Unix(1_700_000_000, 0)}, Started: time.Unix(1_600_000_000, 0)}
	b := &v1alpha1.Benchmark{}
	b.Name = "hbm"
	t := observe.Task{Benchmark: b}
	var headline []v1alpha1.HeadlineValue
	for i := range 32 {
		name := fmt.Sprintf("metric%02d%s", i, strings.Repeat("x", 50))
		t.Metrics = append(t.Metrics, v1alpha1.Metric{Name: name, Unit: "GB/s", Headline: true})
		headline = append(headline, v1alpha1.HeadlineValue{Benchmark: "hbm", Metric: name, Unit: "GB/s", Value: "123456.789012",
			Expected: "123456.789012", PercentOfPeak: "88.8", FleetDeviationPercent: "-17.6", At: strings.Repeat("g", 128), Verdict: v1alpha1.VerdictFail})
	}
	s.Tasks = []observe.Task{t}
	c := &Concluded{Planned: &Planned{Judged: &judge.Judged{Collected: &collect.Collected{Observed: s}}}}
	verdicts := []v1alpha1.Verdict{v1alpha1.VerdictPass, v1alpha1.VerdictFail, v1alpha1.VerdictError, v1alpha1.VerdictSkipped, v1alpha1.VerdictPending}
	for i := range nodes {
		n := &observe.ObservedNode{Name: fmt.Sprintf("%s-%05d", strings.Repeat("n", 240), i)}
		s.Nodes = append(s.Nodes, n)
		c.nodes = append(c.nodes, &concludedNode{JudgedNode: &judge.JudgedNode{CollectedNode: &collect.CollectedNode{ObservedNode: n}, Verdict: verdicts[i%len(verdicts)],
			Decisions: []verdict.Decision{{Verdict: verdicts[i%len(verdicts)], Headline: headline}}}, verdict: verdicts[i%len(verdicts)],
			reason: v1alpha1.ReasonBelowExpectation, message: strings.Repeat("é", 1024)})
	}
	return c
}

// TestStatusStaysSmall: the status is under 256 KiB for a fleet of any size, and shows the worst nodes.
func TestStatusStaysSmall(t *testing.T) {
	for _, nodes := range []int{0, 1, 100, 2000, 10_000} {
		status := fullScope(nodes).status(Written{})
		summary.FitStatus(&status)
		text, err := json.Marshal(status)
		if err != nil {
			t.Fatal(err)
		}
		if len(text) > 256<<10 {
			t.Errorf("the status of %d nodes has %d bytes", nodes, len(text))
		}
		if len(status.Nodes) > maxRows || len(status.Nodes) < min(nodes, maxRows) {
			t.Errorf("the status of %d nodes shows %d", nodes, len(status.Nodes))
		}
		for i, row := range status.Nodes {
			if nodes >= 2000 && row.Verdict != v1alpha1.VerdictFail {
				t.Errorf("row %d is %s although %d nodes failed", i, row.Verdict, nodes/5)
			}
		}
		want := v1alpha1.RunSummary{Nodes: int32(nodes), Passed: int32((nodes + 4) / 5), Failed: int32((nodes + 3) / 5), Errored: int32((nodes + 2) / 5),
			Skipped: int32((nodes + 1) / 5), Pending: int32(nodes / 5)}
		if diff := cmp.Diff(want, *status.Summary); diff != "" {
			t.Errorf("the summary of %d nodes (-want +got):\n%s", nodes, diff)
		}
	}
}

// TestConditionsHaveTheTimeOfThePass: it is the API server's, as the operator knows it; the clock of its own machine may be minutes off.
func TestConditionsHaveTheTimeOfThePass(t *testing.T) {
	now := time.Unix(1_700_000_000, 5e8)
	for _, c := range StalledStatus(&v1alpha1.ValidationRun{}, v1alpha1.ReasonInvalid, errors.New("no"), true, now).Conditions {
		if !c.LastTransitionTime.Equal(&metav1.Time{Time: now.Truncate(time.Second)}) {
			t.Errorf("condition %s is since %s, want %s", c.Type, c.LastTransitionTime, now)
		}
	}
}
