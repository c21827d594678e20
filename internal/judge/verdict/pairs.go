package verdict

import (
	"fmt"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/blame"
	"github.com/assay-dev/assay/internal/judge/bounds"
	"github.com/assay-dev/assay/internal/judge/rule"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

// JudgePairs judges what a node reaches by the model of a tournament. A value that misses a bound proves nothing alone, and
// nothing confirms it later: it fails the node only where it misses the bound beyond noise, and where 1 + confirmations of
// the node's own pairs missed it, too, and none held it, with partners that hold it with others: where most nodes are slow, a fine node has slow pairs only.
// doubt says so where that does not hold, and what to do; the decision then is one without it. reached is what the tournament showed by metric.
func (b *Judge) JudgePairs(a *v1alpha1.Attempt, facts rule.Given, reached map[string]blame.NodeEffect, confirmations int32) (d Decision, doubt string) {
	j := b.rules.Judge(a, facts, bounds.MeanOf(1))
	needed := 1 + max(0, int(confirmations))
	failed, doubtful, worst := map[string]bool{}, map[string]bool{}, 0.0
	for i := range j.Findings {
		found := &j.Findings[i]
		if found.Verdict != v1alpha1.VerdictFail || found.Judged.By.State != bounds.Bounded {
			continue
		}
		why := unproved(reached[found.Metric], found, needed)
		if why == "" {
			failed[found.Metric] = true
			continue
		}
		doubtful[found.Metric] = true
		found.Verdict, found.Message = v1alpha1.VerdictSkipped, why
		if found.Shortfall > worst {
			worst, doubt = found.Shortfall, why
		}
	}
	j.Headline = marked(j.Headline, v1alpha1.VerdictError, func(h *v1alpha1.HeadlineValue) bool { return doubtful[h.Metric] && !failed[h.Metric] })
	outcome := j.Conclude(a)
	return alone(&outcome), doubt
}

// unproved says why a value that misses a bound is no proof, and what to do; empty: it is one. It is none where chance may explain it, or where too few
// pairs missed the bound whose partners hold it with others. A node that holds the bound with one partner can: what is slow is a way, or the others are.
func unproved(r blame.NodeEffect, f *rule.Scored, needed int) string {
	missed, slowBoth, held := 0, 0, 0
	for _, p := range r.Reached {
		switch {
		case f.Judged.By.Shortfall(p.Value) == 0:
			held++
		case p.Partner == 0 || f.Judged.By.Shortfall(p.Partner) > 0:
			slowBoth++
		default:
			missed++
		}
	}
	lenient := f.Judged.Value * (1 + r.Margin)
	if f.Judged.By.Side == v1alpha1.Lower {
		lenient = f.Judged.Value / (1 + r.Margin)
	}
	isNoise, pairs := f.Judged.By.Shortfall(lenient) == 0, message.Several(len(r.Reached), "pair")
	text := fmt.Sprintf("%d of %s with good partners missed the bound", missed, pairs)
	todo := "measure the node in more rounds (group.rounds of the Benchmark), or set the bound further from what healthy nodes reach"
	switch {
	case isNoise && r.Margin > 1: // a share beyond the whole would tell nobody anything
		text = "this may be noise, of which so few pairs tell too little; " + text
	case isNoise:
		text = fmt.Sprintf("this is within noise, which may reach %s here; %s", quantity.Percent(100*r.Margin), text)
	case held > 0:
		text = fmt.Sprintf("it holds the bound in %d of %s, so that what is slow may be the way to the others", held, pairs)
		todo = "check the ways between these nodes (switches, cables), or measure the node in more rounds (group.rounds of the Benchmark)"
	case missed >= needed:
		return ""
	case slowBoth > 0:
		text = fmt.Sprintf("in %d of %s the other node misses the bound with everybody else, too, so either may be slow", slowBoth, pairs)
		todo = "check what the nodes share (switch, driver, settings), or measure the node with one that is known to be fast"
	default:
		text += fmt.Sprintf(", and %d must", needed)
	}
	return message.Ending(f.Message, "; not proved: "+text+"; "+todo)
}
