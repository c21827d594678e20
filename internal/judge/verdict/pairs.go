package verdict

import (
	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/blame"
	"github.com/assay-dev/assay/internal/judge/bounds"
	"github.com/assay-dev/assay/internal/judge/rule"
)

// JudgePairs judges what a node reaches by the model of a tournament. A value that misses a bound proves nothing alone, and
// nothing confirms it later: it fails the node only where it misses the bound beyond noise, and where 1 + confirmations of
// the node's own pairs missed it, too, with partners that hold it with others: where most nodes are slow, a fine node has slow pairs only.
// unproved says so where that does not hold, and what to do; the decision then is one without it. reached is what the tournament showed by metric.
func (b *Judge) JudgePairs(a *v1alpha1.Attempt, facts rule.Given, reached map[string]blame.NodeEffect, confirmations int32) (d Decision, unproved string) {
	j := b.rules.Judge(a, facts, bounds.MeanOf(1))
	needed := 1 + max(0, int(confirmations))
	failed, doubtful, worst := map[string]bool{}, map[string]bool{}, 0.0
	for i := range j.Findings {
		found := &j.Findings[i]
		if found.Verdict != v1alpha1.VerdictFail || found.Judged.By.State != bounds.Bounded {
			continue
		}
		doubt, proved := doubts(reached[found.Metric], found, needed)
		if proved {
			failed[found.Metric] = true
			continue
		}
		doubtful[found.Metric] = true
		found.Verdict, found.Message = v1alpha1.VerdictSkipped, notProved(found.Message, doubt)
		if found.Shortfall > worst {
			worst, unproved = found.Shortfall, found.Message
		}
	}
	j.Headline = marked(j.Headline, v1alpha1.VerdictError, func(h *v1alpha1.HeadlineValue) bool { return doubtful[h.Metric] && !failed[h.Metric] })
	outcome := j.Conclude(a)
	return alone(&outcome), unproved
}

// doubts says why a value that misses a bound is no proof; proved where it is one.
func doubts(r blame.NodeEffect, f *rule.Scored, needed int) (d doubt, proved bool) {
	d = doubt{Pairs: len(r.Reached), Needed: needed, Noise: r.Margin}
	for _, p := range r.Reached {
		switch {
		case f.Judged.By.Shortfall(p.Value) == 0:
		case p.Partner == 0 || f.Judged.By.Shortfall(p.Partner) > 0:
			d.SlowBoth++
		default:
			d.Missed++
		}
	}
	lenient := f.Judged.Value * (1 + r.Margin)
	if f.Judged.By.Side == v1alpha1.Lower {
		lenient = f.Judged.Value / (1 + r.Margin)
	}
	d.WithinNoise = f.Judged.By.Shortfall(lenient) == 0
	return d, !d.WithinNoise && d.Missed >= needed
}
