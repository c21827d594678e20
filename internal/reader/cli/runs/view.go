package runs

import (
	"context"
	"slices"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/reader/cli/cluster"
)

// live is what a terminal shows of a run while it goes on: where it stands, a bar, and a line for each node that is measured.
type live struct {
	run   *v1alpha1.ValidationRun
	costs costs
	last  map[string]ended // by node
	// before is the last estimate made while something was measured.
	before estimate
}

// learn reads what the run's benchmarks are said to take. What cannot be read is shown without.
func (l *live) learn(ctx context.Context, c client.Client) {
	if l.run.Status.Catalogue == nil || l.costs != nil {
		return
	}
	l.costs = costs{}
	all, _ := cluster.Benchmarks(ctx, c)
	for _, b := range all {
		l.costs[b.Name] = b
	}
}

// ended is a measurement of a node that is over.
type ended struct {
	benchmark string
	took      time.Duration
}

// take the next state of the run. What nodes that are through with a benchmark took is what the next ones are expected to take: a run
// may have set parameters that change it. An attempt without a value says nothing of that: it may have failed at once.
func (l *live) take(run *v1alpha1.ValidationRun, now time.Time) {
	if l.run != nil {
		for row := range list.Each(run.Status.Nodes) {
			if was := l.run.Row(row.Name); was != nil {
				l.time(was, row, now)
			}
		}
	}
	l.run = run
}

// block of lines for a terminal of this size.
func (l *live) block(now time.Time, width, height int) []string {
	lines := []string{standing(l.run, nil)}
	if e, ok := l.estimate(now); ok && l.open() > 0 {
		lines = append(lines, bar(e, width))
	}
	if cause := l.run.Status.LastWriteError; cause != "" {
		lines = append(lines, watchRefused(cause))
	}
	if l.run.Status.Summary == nil {
		return lines
	}
	nodes := l.atWork(now)
	room := height - 1 - len(lines)
	if room <= 1 {
		return lines
	}
	shown := 0
	for i, n := range nodes {
		if i == room-1 && len(nodes) > room {
			break
		}
		lines = append(lines, n.text)
		shown += n.nodes
	}
	if more := l.open() - shown; more > 0 && len(lines) < height-1 {
		lines = append(lines, message.More(more))
	}
	return lines
}

// estimate how far the run is. Between two measurements of groups no node tells how far they are, so that the last estimate holds.
func (l *live) estimate(now time.Time) (estimate, bool) {
	e, ok := l.costs.estimate(l.run, now)
	if measured := func(row v1alpha1.NodeRow) bool { return row.Measuring != nil }; slices.ContainsFunc(l.run.Status.Nodes, measured) {
		l.before = e
	}
	if e.done < l.before.done {
		e = l.before
	}
	return e, ok
}

// open counts the nodes that are not done.
func (l *live) open() int { return int(l.run.Status.Summary.Running + l.run.Status.Summary.Pending) }
