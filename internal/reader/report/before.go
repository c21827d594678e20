package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/verdict"
	"github.com/assay-dev/assay/internal/list"
	"github.com/assay-dev/assay/internal/message"
)

// mostBefore runs of a node are told.
const mostBefore = 10

// Before is how a node did in earlier runs by the benchmarks that proved it fit or unfit in this one.
type Before struct {
	// Verdict when each of them was last measured: Fail where any failed.
	Verdict v1alpha1.Verdict `json:"verdict"`
	// Runs that measured any of them, the last 10, oldest first.
	Runs []Earlier `json:"runs"`
}

// Earlier is an earlier run of a node.
type Earlier struct {
	Name    string           `json:"name"`
	Time    time.Time        `json:"time"`
	Verdict v1alpha1.Verdict `json:"verdict"`
}

// BeforeRun is what the history of a node has of the time before a run; nil where that has nothing of the run, or nothing before it.
func BeforeRun(run types.UID, h *v1alpha1.NodeHistory) *Before {
	before := Before{}
	earlier := map[types.UID]Earlier{}
	for i := range h.Benchmarks {
		entries := h.Benchmarks[i].Entries
		now := slices.IndexFunc(entries, func(e v1alpha1.HistoryEntry) bool { return e.RunUID == run })
		if now < 1 {
			continue
		}
		before.Verdict = verdict.Worst(before.Verdict, entries[now-1].Verdict)
		for _, e := range entries[:now] {
			known := earlier[e.RunUID]
			known.Name, known.Verdict = e.Run, verdict.Worst(known.Verdict, e.Verdict)
			if t := e.Time.UTC(); t.After(known.Time) {
				known.Time = t
			}
			earlier[e.RunUID] = known
		}
	}
	if len(earlier) == 0 {
		return nil
	}
	before.Runs = slices.SortedFunc(maps.Values(earlier), func(a, b Earlier) int { return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.Name, b.Name)) })
	before.Runs = before.Runs[max(0, len(before.Runs)-mostBefore):]
	return &before
}

// Marks of the runs, oldest first: one for a pass, another for a failure.
func (b *Before) Marks() string {
	var marks []rune
	for _, r := range b.Runs {
		mark := '✓'
		if r.Verdict != v1alpha1.VerdictPass {
			mark = '✕'
		}
		marks = append(marks, mark)
	}
	return string(marks)
}

// changed are the nodes that failed and had passed when they were last measured, and the other way round.
func changed(nodes []Node) (failed, recovered []string) {
	for n := range list.Each(nodes) {
		switch {
		case n.Before == nil:
		case n.Verdict == v1alpha1.VerdictFail && n.Before.Verdict == v1alpha1.VerdictPass:
			failed = append(failed, n.Name)
		case n.Verdict == v1alpha1.VerdictPass && n.Before.Verdict == v1alpha1.VerdictFail:
			recovered = append(recovered, n.Name)
		}
	}
	return failed, recovered
}

// Changes are told as pairs: "Newly failed (+2)" and the nodes.
func (r *Run) Changes() (all [][2]string) {
	if n := r.NewlyFailed; len(n) > 0 {
		all = append(all, [2]string{fmt.Sprintf("Newly failed (+%d)", len(n)), message.Names(n)})
	}
	if n := r.NoLongerFailed; len(n) > 0 {
		all = append(all, [2]string{fmt.Sprintf("No longer failed (-%d)", len(n)), message.Names(n)})
	}
	return all
}
