package assess

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/summary"
	"github.com/assay-dev/assay/internal/judge/verdict"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/operate/assess/observe"
	"github.com/assay-dev/assay/internal/operate/plan"
	"github.com/assay-dev/assay/internal/quantity"
)

// Report is the run's status after a pass.
type Report struct {
	Status v1alpha1.ValidationRunStatus
	// Over: the run is over with it.
	Over bool
	// Recheck is how long the run can be left alone when nothing changes; zero: until something does.
	Recheck time.Duration
	// StoresMore: some verdicts were stored, and others wait for the next pass, whatever else could not be written.
	StoresMore bool
}

// Report says what the run's status is to be. Where a write of this pass failed nothing is final, until the run has had its time.
func (o *Output) Report(w Written) Report {
	s := conclude(o.planned, w)
	over := s.over() && (w.Err == nil || s.PastCleanup())
	if over {
		s.writeOff(w)
	}
	next := s.status(w)
	s.setConditions(&next, w, over)
	summary.FitStatus(&next)
	return Report{Status: next, Over: over, Recheck: s.recheckIn(),
		StoresMore: w.Stored > 0 && slices.ContainsFunc(s.nodes, func(n *concludedNode) bool { return n.Postponed })}
}

// over: every node has its verdict and no pod is left, or the last pods had their time to go.
func (s *Concluded) over() bool {
	if s.Run.Spec.Suspend || !observe.Started(s.Run) && len(s.nodes) > 0 {
		return false
	}
	for _, n := range s.nodes {
		if !n.final() || s.MayConvict(n.JudgedNode) || len(n.Pods) > 0 && !s.PastCleanup() {
			return false
		}
	}
	return !s.HasJobs() || s.PastCleanup()
}

// status is what the run found so far, without the conditions.
func (s *Concluded) status(w Written) v1alpha1.ValidationRunStatus {
	next := *s.Run.Status.DeepCopy()
	next.ObservedGeneration = s.Run.Generation
	if w.Catalogue != nil {
		next.Catalogue = w.Catalogue
	}
	if !s.Run.Spec.Suspend {
		next.StartTime = &metav1.Time{Time: s.Started.Truncate(time.Second)}
	}
	switch {
	case w.Err != nil:
		next.LastWriteError = quantity.Clip(w.Err.Error(), 1024)
	case !s.Overdue(): // after the deadline nothing is tried any more that could show it mended
		next.LastWriteError = ""
	}
	sum := s.summary()
	next.Summary = &sum
	next.Cost = s.cost()
	done := sum.Nodes - sum.Pending - sum.Running
	next.Progress = fmt.Sprintf("%d/%d", done, sum.Nodes)
	next.Measures = measures(&s.Run.Spec)
	next.Nodes = s.rows()
	next.Findings = s.Findings
	next.Worst = ""
	if len(next.Nodes) > 0 && verdict.Severity(next.Nodes[0].Verdict) > verdict.Severity(v1alpha1.VerdictPass) {
		next.Worst = quantity.Clip(next.Nodes[0].Name+": "+next.Nodes[0].Message, 512)
	}
	next.Benchmarks = nil
	for i, t := range s.Tasks {
		values := list.Map(s.nodes, func(n *concludedNode) []v1alpha1.HeadlineValue { return n.Decisions[i].Headline })
		next.Benchmarks = append(next.Benchmarks, summary.Summarise(t.Metrics, t.Name(), values)...)
	}
	return next
}

// cost of what is stored, or was to be in this pass: counted anew each time, so that it does not matter who counted before.
func (s *Concluded) cost() *v1alpha1.Cost {
	var sum v1alpha1.Cost
	for _, n := range s.nodes {
		sum.Add(new(n.Result.Cost()))
	}
	for _, g := range s.Groups {
		sum.Add(new(g.Result.Cost()))
	}
	return sum.OrNone()
}

// measures names what a run is to measure by.
func measures(spec *v1alpha1.ValidationRunSpec) string {
	names := func(refs []v1alpha1.BenchmarkRef) string {
		return message.Nodes(list.Map(refs, func(b v1alpha1.BenchmarkRef) string { return b.Name }))
	}
	if len(spec.Overrides) > 0 {
		return spec.Suite + ", overriding " + names(spec.Overrides)
	}
	return cmp.Or(spec.Suite, names(spec.Benchmarks))
}

func (s *Concluded) summary() v1alpha1.RunSummary {
	sum := v1alpha1.RunSummary{Nodes: int32(len(s.nodes))}
	for _, n := range s.nodes {
		if n.tainted {
			sum.Tainted++
		}
		switch n.verdict {
		case v1alpha1.VerdictPass:
			sum.Passed++
		case v1alpha1.VerdictFail:
			sum.Failed++
		case v1alpha1.VerdictSkipped:
			sum.Skipped++
		case v1alpha1.VerdictInconclusive:
			sum.NotJudged++
		case v1alpha1.VerdictPending:
			if len(n.Pods) > 0 || n.Result != nil || len(s.Index.Nodes[n.Name]) > 0 {
				sum.Running++
			} else {
				sum.Pending++
			}
		default:
			sum.Errored++
		}
	}
	return sum
}

const (
	// BatchDelay collects changes of many pods into one pass.
	BatchDelay = 100 * time.Millisecond
	// CleanupRecheck is how often leftovers of a run that is over are looked at.
	CleanupRecheck = 10 * time.Second
)

// recheckIn is how long the run can be left alone when nothing changes.
func (s *Concluded) recheckIn() time.Duration {
	at := s.plan.Recheck
	if s.Overdue() {
		at = s.Deadline.Add(observe.CleanupGrace)
		if s.HasJobs() { // MPIJobs are not watched
			list.Sooner(&at, s.Now.Add(plan.BusyRecheck))
		}
	}
	list.Sooner(&at, s.recheck)
	if s.Run.Spec.Suspend {
		// A pod on a node that is out of reach is not waited for once the node is given up.
		if s.PodsLeft() != "" {
			return CleanupRecheck
		}
		return 0
	}
	return max(at.Sub(s.Now), BatchDelay)
}
