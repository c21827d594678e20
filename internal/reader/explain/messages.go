package explain

import (
	"fmt"
	"strings"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/judge/cause"
	"github.com/assay-dev/assay/internal/judge/term"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

// explainNode heads an explanation: how a node ended in its newest run, and how many runs failed it so far.
func explainNode(node string, verdict v1alpha1.Verdict, reason, run string, offences int) string {
	text := node + ": " + string(verdict)
	if verdict == "" {
		text = node + ": not measured"
	}
	if reason != "" && verdict != v1alpha1.VerdictPass {
		text += " (" + reason + ")"
	}
	text = message.With(text, " in run ", run)
	if offences > 0 {
		text += "; failed by " + message.Several(offences, "run") + " so far"
	}
	return text
}

// explainTaint says by which taint the node is kept from work.
func explainTaint(key, value, effect, run string, since time.Time) string {
	key = message.With(key, "=", value)
	return fmt.Sprintf("tainted %s:%s by run %s since %s", key, effect, run, message.Day(since))
}

// explainDeviceTaint says by which taint devices are kept from work, and that others are not; removed: somebody has ended that.
func explainDeviceTaint(key, value, effect string, removed bool) string {
	if removed {
		return "somebody has removed the annotation assay.dev/quarantine of the node, so that they are in service again until a run fails the node once more"
	}
	return fmt.Sprintf("by the device taint %s:%s; the node's other devices may be used", message.With(key, "=", value), effect)
}

// explainPast is what a part reached before.
func explainPast(sparkline string, values int, since time.Time, baseline string) string {
	text := fmt.Sprintf("its own %s since %s: %s", message.Several(values, "value"), message.Day(since), sparkline)
	text = message.With(text, ", baseline ", baseline)
	return text
}

// explainBenchmark says why a benchmark proved nothing.
func explainBenchmark(benchmark string, verdict v1alpha1.Verdict, reason, found string) string {
	text := benchmark + ": " + string(verdict)
	if reason != "" && reason != string(verdict) {
		text += " (" + reason + ")"
	}
	text = message.With(text, ": ", found)
	return text
}

// explainConviction is one of an earlier run that still stands.
func explainConviction(c *v1alpha1.Conviction) string {
	text := message.Because(cause.Named(c.Benchmark, c.Metric, c.At), cause.InNumbers(&c.RuleNumbers))
	return fmt.Sprintf("%s, %s in run %s on %s; no later run has refuted that", text, term.Says(c.Rule), c.Run.Name, message.Day(c.MeasuredAt.Time))
}

// explainFinds is the least loss of a metric that would have been found, and by what.
func explainFinds(h *v1alpha1.HeadlineValue) string {
	percent, _ := quantity.ParseDecimal(h.FindsFromPercent)
	return fmt.Sprintf("%s: a loss of %s or more, compared with %s", cause.Named(h.Benchmark, h.Metric, ""), quantity.Percent(percent), term.Against(h.FindsBy))
}

// explainFact names a fact of a part, or of the node.
func explainFact(name, at string) string {
	if at == "" {
		return name
	}
	return name + " of " + at
}

func explainChange(what, before, now string) string {
	return fmt.Sprintf("%s: %s, was %s", what, now, before)
}

// explainEnd is the other end of a link: how that node ended, and which other nodes it was found slow with.
func explainEnd(node string, verdict v1alpha1.Verdict, with []string) string {
	text := "the other end, " + node + ", "
	if verdict != "" {
		text += "ended as " + string(verdict) + " and "
	}
	if len(with) == 0 {
		return text + "is in no other finding"
	}
	return text + "is also in findings with " + message.Names(with)
}

// explainAlike names the other nodes of the run on which a benchmark ended alike; total is how many others there are. cut: not all that failed were looked
// at.
func explainAlike(what string, nodes []string, total int, cut bool) string {
	least := ""
	if cut {
		least = "at least "
	}
	return fmt.Sprintf("%s on %s%d of %s too: %s", what, least, len(nodes), message.Several(max(total, len(nodes)), "other node"), message.Names(nodes))
}

// explainGateOpened says who opened the gate, as the node's record has it.
func explainGateOpened(policy, run, by string, at time.Time) string {
	text := fmt.Sprintf("the gate of policy %s was opened by %s on %s", policy, by, message.Day(at))
	text = message.With(text, ", after run ", run)
	return text
}

// measuredBy are the flags that say what to measure by. What is not known is left to the reader.
func measuredBy(suite string, benchmarks []string) string {
	switch {
	case suite != "":
		return "--suite " + suite
	case len(benchmarks) > 0:
		return "--benchmark " + strings.Join(benchmarks, ",")
	}
	return "--suite SUITE"
}
