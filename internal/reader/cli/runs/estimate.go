package runs

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/operate/catalogue"
)

// costs of benchmarks, as their costSeconds say.
type costs map[string]v1alpha1.Benchmark

// estimate says how much of a run is done, and what is left of it. Both follow from what benchmarks are said to take: a run that
// measures suspects again takes longer.
type estimate struct {
	done float64 // from 0 to 1
	left time.Duration
}

// estimate a run that has started; ok is false where what it measures is not known.
func (c costs) estimate(run *v1alpha1.ValidationRun, now time.Time) (e estimate, ok bool) {
	if run.Status.Catalogue == nil || run.Status.Summary == nil || run.Status.Summary.Nodes == 0 || run.Spec.Suspend {
		return e, false
	}
	m := runModel{run: run, now: now}
	for _, pinned := range run.Status.Catalogue.Benchmarks {
		b, known := c[pinned.Name]
		switch {
		case !known:
			return e, false
		case b.Spec.Group != nil:
			m.groups = append(m.groups, b)
		default:
			m.nodes = append(m.nodes, b)
		}
	}
	whole, left := m.whole(), m.nodesLeft()+m.groupsLeft()
	if whole == 0 {
		return e, false
	}
	return estimate{done: min(1, max(0, 1-float64(left)/float64(whole))), left: left}, true
}

// runModel adds up what a run has to do: each node by all benchmarks of nodes, and then groups by the others, one after another.
type runModel struct {
	run           *v1alpha1.ValidationRun
	now           time.Time
	nodes, groups []v1alpha1.Benchmark // in the order they run
}

// alone is what the benchmarks of one node take.
func (m *runModel) alone() time.Duration { return list.Sum(m.nodes, catalogue.Cost) }

// atOnce is how many nodes are measured at the same time.
func (m *runModel) atOnce() time.Duration {
	nodes := int(m.run.Status.Summary.Nodes)
	n, err := intstr.GetScaledValueFromIntOrPercent(m.run.Spec.MaxConcurrentNodes, nodes, false)
	if err != nil { // there is no limit
		n = nodes
	}
	return time.Duration(min(nodes, max(1, n)))
}

// whole is what all of the run takes.
func (m *runModel) whole() time.Duration {
	nodes, atOnce := time.Duration(m.run.Status.Summary.Nodes), m.atOnce()
	return m.alone()*((nodes+atOnce-1)/atOnce) + list.Sum(m.groups, catalogue.Cost)
}

// nodesLeft is what measuring nodes alone still takes. The status shows some of the nodes, and counts all.
func (m *runModel) nodesLeft() time.Duration {
	var sum, longest time.Duration
	shown := int32(0)
	for row := range list.Each(m.run.Status.Nodes) {
		if row.Verdict != v1alpha1.VerdictPending {
			continue
		}
		shown++
		left := m.rowLeft(row)
		sum, longest = sum+left, max(longest, left)
	}
	if hidden := m.run.Status.Summary.Pending + m.run.Status.Summary.Running - shown; hidden > 0 {
		sum += time.Duration(hidden) * m.alone()
	}
	return max(longest, sum/m.atOnce())
}

// rowLeft is what measuring one node alone still takes.
func (m *runModel) rowLeft(row *v1alpha1.NodeRow) (left time.Duration) {
	tasks := m.nodes
	if row.Measuring != nil { // what comes before the benchmark that runs is done, and before one of groups, all
		at := slices.IndexFunc(tasks, func(b v1alpha1.Benchmark) bool { return b.Name == row.Measuring.Benchmark })
		if at < 0 {
			return 0
		}
		left, tasks = max(0, catalogue.Cost(&tasks[at])-m.since(row.Measuring.Since)), tasks[at+1:]
	}
	for b := range list.Each(tasks) {
		if !slices.ContainsFunc(row.Metrics, func(v v1alpha1.HeadlineValue) bool { return v.Benchmark == b.Name }) {
			left += catalogue.Cost(b)
		}
	}
	return left
}

// groupsLeft is what measuring groups still takes. What comes before the benchmark that runs is done.
func (m *runModel) groupsLeft() (left time.Duration) {
	for _, b := range slices.Backward(m.groups) {
		row := list.First(m.run.Status.Nodes, func(row *v1alpha1.NodeRow) bool { return row.Measuring != nil && row.Measuring.Benchmark == b.Name })
		if row == nil {
			left += catalogue.Cost(&b)
			continue
		}
		once := catalogue.Cost(&b) / time.Duration(catalogue.Rounds(&b))
		rounds := time.Duration(max(0, catalogue.Rounds(&b)-max(1, row.Measuring.Round)))
		return left + once*rounds + max(0, once-m.since(row.Measuring.Since))
	}
	return left
}

// since is the time from then on; the clocks of this machine and the cluster may differ.
func (m *runModel) since(then metav1.Time) time.Duration { return max(0, m.now.Sub(then.Time)) }
