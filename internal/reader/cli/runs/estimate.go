package runs

import (
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
	m := runModel{costs: c, run: run, now: now, last: -1}
	for _, pinned := range run.Status.Catalogue.Benchmarks {
		b, known := c[pinned.Name]
		if !known {
			return e, false
		}
		m.tasks = append(m.tasks, b)
	}
	m.findLast()
	whole, left := m.whole(), m.nodesLeft()+m.groupsLeft()
	if whole == 0 {
		return e, false
	}
	return estimate{done: min(1, max(0, 1-float64(left)/float64(whole))), left: left}, true
}

// runModel adds up what a run has to do: each node by all benchmarks of scope Node, and then groups by the others, one after another.
type runModel struct {
	costs costs
	run   *v1alpha1.ValidationRun
	now   time.Time
	tasks []v1alpha1.Benchmark // in the order they run
	last  int                  // the last task of groups that has begun; -1: none
}

func grouped(b *v1alpha1.Benchmark) bool { return b.Spec.Group != nil }

// alone is what the benchmarks of one node take.
func (m *runModel) alone() (sum time.Duration) {
	for b := range list.Each(m.tasks) {
		if !grouped(b) {
			sum += catalogue.Cost(b)
		}
	}
	return sum
}

// atOnce is how many nodes are measured at the same time.
func (m *runModel) atOnce() time.Duration {
	nodes := int(m.run.Status.Summary.Nodes)
	limit := m.run.Spec.MaxConcurrentNodes
	if limit == nil {
		return time.Duration(nodes)
	}
	n, err := intstr.GetScaledValueFromIntOrPercent(limit, nodes, false)
	if err != nil {
		n = nodes
	}
	return time.Duration(min(nodes, max(1, n)))
}

// whole is what all of the run takes.
func (m *runModel) whole() time.Duration {
	nodes, atOnce := time.Duration(m.run.Status.Summary.Nodes), m.atOnce()
	sum := m.alone() * ((nodes + atOnce - 1) / atOnce)
	for b := range list.Each(m.tasks) {
		if grouped(b) {
			sum += catalogue.Cost(b)
		}
	}
	return sum
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
	measured := map[string]bool{}
	for _, v := range row.Metrics {
		measured[v.Benchmark] = true
	}
	before := row.Measuring != nil // the tasks before the one that runs are done
	for b := range list.Each(m.tasks) {
		switch {
		case before && b.Name == row.Measuring.Benchmark:
			before = false
			if !grouped(b) {
				left += max(0, catalogue.Cost(b)-m.since(row.Measuring.Since))
			}
		case !before && !grouped(b) && !measured[b.Name]:
			left += catalogue.Cost(b)
		}
	}
	return left
}

// findLast finds how far the tasks of groups have come.
func (m *runModel) findLast() {
	for i := range m.tasks {
		if grouped(&m.tasks[i]) && m.measuring(m.tasks[i].Name) != nil {
			m.last = i
		}
	}
}

// groupsLeft is what measuring groups still takes.
func (m *runModel) groupsLeft() (left time.Duration) {
	for i := range m.tasks {
		b := &m.tasks[i]
		switch {
		case !grouped(b) || i < m.last:
		case i > m.last:
			left += catalogue.Cost(b)
		default:
			at := m.measuring(b.Name)
			once := catalogue.Cost(b) / time.Duration(catalogue.Rounds(b))
			rounds := time.Duration(max(0, catalogue.Rounds(b)-max(1, at.Round)))
			left += once*rounds + max(0, once-m.since(at.Since))
		}
	}
	return left
}

// measuring says how far a benchmark is, by the first node that it measures; nil: it measures none.
func (m *runModel) measuring(benchmark string) *v1alpha1.Measuring {
	for row := range list.Each(m.run.Status.Nodes) {
		if row.Measuring != nil && row.Measuring.Benchmark == benchmark {
			return row.Measuring
		}
	}
	return nil
}

// since is the time from then on; the clocks of this machine and the cluster may differ.
func (m *runModel) since(then metav1.Time) time.Duration { return max(0, m.now.Sub(then.Time)) }
