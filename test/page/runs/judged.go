package runs

import (
	"cmp"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/fleet"
	"github.com/assay-dev/assay/internal/judge/peak"
	"github.com/assay-dev/assay/internal/judge/rule"
	"github.com/assay-dev/assay/internal/judge/summary"
	"github.com/assay-dev/assay/internal/judge/verdict"
	"github.com/assay-dev/assay/internal/operate/catalogue"
	"github.com/assay-dev/assay/internal/reader/export"
	"github.com/assay-dev/assay/test/testdata"
)

// cluster is what a run measures: attempt makes a node's attempt by a benchmark, from 0 on; false: there is none.
type cluster struct {
	name       string
	nodes      []string
	benchmarks []v1alpha1.Benchmark
	attempt    func(node int, b *v1alpha1.Benchmark, n int) (v1alpha1.Attempt, bool)
	findings   []v1alpha1.FabricFinding
	groups     []v1alpha1.ValidationResult
	took       time.Duration
}

var began = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// run measures and judges the cluster as the operator does.
func (f *cluster) run() export.Run {
	profile := testdata.Profile("h200")
	peaks := peak.Of(profile)
	results := make([]v1alpha1.ValidationResult, len(f.nodes))
	var summaries []v1alpha1.BenchmarkSummary
	for i := range f.benchmarks {
		summaries = append(summaries, f.measure(&f.benchmarks[i], peaks, results)...)
	}
	run := &v1alpha1.ValidationRun{ObjectMeta: metav1.ObjectMeta{Name: f.name, UID: types.UID(f.name + "-uid"), Generation: 1}}
	run.Spec.Suite = "quick"
	run.Spec.OnFailure = &v1alpha1.OnFailure{Taint: &v1alpha1.Taint{Key: v1alpha1.DefaultTaintKey, Value: "failed", Effect: "NoSchedule"}}
	owner := v1alpha1.ObjectReference{Name: run.Name, UID: run.UID}
	for i := range results {
		r := &results[i]
		r.Name, r.Run, r.Node = f.name+"-"+f.nodes[i], owner, v1alpha1.ObjectReference{Name: f.nodes[i], UID: types.UID("uid-" + f.nodes[i])}
		r.Verdict, r.Reason, r.Message = verdict.Node(r.Benchmarks)
	}
	for i := range f.groups {
		f.groups[i].Run = owner
	}
	run.Status = f.status(results, summaries)
	snapshot := catalogue.Take(f.benchmarks, []v1alpha1.HardwareProfile{*profile})
	return export.Run{Cluster: "example", Run: run, Results: append(results, f.groups...), Catalogue: &snapshot}
}

// measure all nodes by a benchmark, and suspects again.
func (f *cluster) measure(b *v1alpha1.Benchmark, peaks peak.Peaks, results []v1alpha1.ValidationResult) []v1alpha1.BenchmarkSummary {
	attempts := make([][]v1alpha1.Attempt, len(f.nodes))
	var digests []*fleet.Digest
	for i, name := range f.nodes {
		if a, ok := f.attempt(i, b, 0); ok {
			attempts[i] = append(attempts[i], a)
			d := fleet.DigestAttempt(b.Spec.Metrics, &a)
			d.Node = name
			digests = append(digests, &d)
		}
	}
	compared := verdict.NewJudge(b.Name, b.Spec.Metrics, digests, nil, true).Expecting(b.Spec.Facts)
	var headlines [][]v1alpha1.HeadlineValue
	for i, name := range f.nodes {
		if len(attempts[i]) == 0 {
			continue
		}
		facts := rule.Given{Node: name, Peaks: peaks}
		d := compared.Decide(attempts[i], facts, 2)
		for d.NeedsAttempt {
			a, ok := f.attempt(i, b, len(attempts[i]))
			if !ok {
				break
			}
			attempts[i] = append(attempts[i], a)
			d = compared.Decide(attempts[i], facts, 2)
		}
		headlines = append(headlines, d.Headline)
		results[i].Benchmarks = append(results[i].Benchmarks, v1alpha1.BenchmarkResult{Name: b.Name, Verdict: d.Verdict, Reason: d.Reason,
			Message: d.Message, Headline: d.Headline, Findings: d.Findings, Attempts: attempts[i]})
	}
	return summary.Summarise(b.Spec.Metrics, b.Name, headlines)
}

func (f *cluster) status(results []v1alpha1.ValidationResult, summaries []v1alpha1.BenchmarkSummary) v1alpha1.ValidationRunStatus {
	counts := v1alpha1.RunSummary{Nodes: int32(len(results))}
	s := v1alpha1.ValidationRunStatus{Benchmarks: summaries, Findings: f.findings, Summary: &counts}
	for i := range results {
		r := &results[i]
		row := v1alpha1.NodeRow{Name: r.Node.Name, Verdict: r.Verdict, Reason: r.Reason, Message: r.Message}
		for j := range r.Benchmarks {
			row.Metrics = append(row.Metrics, r.Benchmarks[j].Headline...)
		}
		switch r.Verdict {
		case v1alpha1.VerdictPass:
			counts.Passed++
		case v1alpha1.VerdictFail:
			row.Tainted = true
			counts.Failed++
			counts.Tainted++
		case v1alpha1.VerdictSkipped:
			counts.Skipped++
		default:
			counts.Errored++
		}
		s.Nodes = append(s.Nodes, row)
	}
	slices.SortStableFunc(s.Nodes, func(a, b v1alpha1.NodeRow) int {
		return cmp.Compare(verdict.Severity(b.Verdict), verdict.Severity(a.Verdict))
	})
	s.Nodes = s.Nodes[:min(100, len(s.Nodes))]
	facts := summary.RunFacts{Summary: counts, Findings: len(f.findings), WorstNode: s.Nodes[0].Name, WorstMessage: s.Nodes[0].Message}
	var reason, text string
	s.Verdict, reason, text = summary.Run(facts)
	ended := metav1.NewTime(began.Add(f.took))
	s.StartTime, s.CompletionTime, s.Progress = new(metav1.NewTime(began)), &ended, "done"
	s.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionFinished, Status: metav1.ConditionTrue, Reason: reason, Message: text, LastTransitionTime: ended}}
	return s
}
