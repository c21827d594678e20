package explain

import (
	"fmt"
	"strings"
	"time"

	"github.com/assay-dev/assay/api/v1alpha1"
	"github.com/assay-dev/assay/internal/message"
	"github.com/assay-dev/assay/internal/quantity"
)

const explainDevicesUnusable = "Its devices were given to the program, which could use none: look for the driver's error in the node's kernel " +
	"log, run nvidia-smi on the node, and look at the " +
	"device plugin's log and events, and at the container's device cgroup."

// explainNode heads an explanation: how a node ended in its newest run, and how many runs failed it so far.
func explainNode(node string, verdict v1alpha1.Verdict, reason, run string, offences int) string {
	text := node + ": " + string(verdict)
	if verdict == "" {
		text = node + ": not measured"
	}
	if reason != "" && verdict != v1alpha1.VerdictPass {
		text += " (" + reason + ")"
	}
	if run != "" {
		text += " in run " + run
	}
	if offences > 0 {
		text += "; failed by " + message.Several(offences, "run") + " so far"
	}
	return text
}

// explainTaint says by which taint the node is kept from work.
func explainTaint(key, value, effect, run string, since time.Time) string {
	if value != "" {
		key += "=" + value
	}
	return fmt.Sprintf("tainted %s:%s by run %s since %s", key, effect, run, message.Day(since))
}

// explainPast is what a part reached before.
func explainPast(sparkline string, values int, since time.Time, baseline string) string {
	text := fmt.Sprintf("its own %s since %s: %s", message.Several(values, "value"), message.Day(since), sparkline)
	if baseline != "" {
		text += ", baseline " + baseline
	}
	return text
}

// explainBenchmark says why a benchmark proved nothing.
func explainBenchmark(benchmark string, verdict v1alpha1.Verdict, reason, found string) string {
	text := benchmark + ": " + string(verdict)
	if reason != "" && reason != string(verdict) {
		text += " (" + reason + ")"
	}
	if found != "" {
		text += ": " + found
	}
	return text
}

// explainConviction is one of an earlier run that still stands.
func explainConviction(c *v1alpha1.Conviction) string {
	text := strings.Join(strings.Fields(c.Benchmark+" "+c.Metric), " ")
	if c.At != "" {
		text += " of " + c.At
	}
	text += ", rule " + c.Rule
	if numbers := convictedBy(c); numbers != "" {
		text += ": " + numbers
	}
	return fmt.Sprintf("%s, by run %s on %s; no later run has refuted that", text, c.Run.Name, message.Day(c.MeasuredAt.Time))
}

// convictedBy is the value of a conviction, with what was typical and the bound, as far as they are known.
func convictedBy(c *v1alpha1.Conviction) string {
	var known []float64
	for _, n := range []v1alpha1.Decimal{c.Value, c.Typical, c.Bound} {
		if v, ok := quantity.ParseDecimal(n); ok {
			known = append(known, v)
		}
	}
	scale := quantity.NewScale(c.Unit, known...)
	var all []string
	for _, n := range []struct {
		name   string
		number v1alpha1.Decimal
	}{{"", c.Value}, {"typical ", c.Typical}, {"bound ", c.Bound}} {
		if v, ok := quantity.ParseDecimal(n.number); ok {
			all = append(all, n.name+scale.Format(v))
		}
	}
	return strings.Join(all, ", ")
}

// explainReading is a quantity that was sampled: of a part, and the median of like parts that did not fail. others is how many those are.
func explainReading(benchmark, quantity, at, value, median string, others int) string {
	text := fmt.Sprintf("%s: %s of %s is %s", benchmark, quantity, at, value)
	if others > 0 {
		text += fmt.Sprintf(", median of %s: %s", message.Several(others, "other"), median)
	}
	return text
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

// explainAlike names the other nodes of the run that have the same; total is how many others there are. cut: not all that failed were looked
// at.
func explainAlike(what string, nodes []string, total int, cut bool) string {
	others := message.Several(max(total, len(nodes)), "other node")
	switch {
	case len(nodes) == 0 && cut:
		return fmt.Sprintf("%s: none of the run's worst nodes, of %s", what, others)
	case len(nodes) == 0:
		return what + ": no other node of the run"
	case cut:
		return fmt.Sprintf("%s: at least %d of %s: %s", what, len(nodes), others, message.Names(nodes))
	}
	return fmt.Sprintf("%s: %d of %s: %s", what, len(nodes), others, message.Names(nodes))
}

// explainGateOpened says who opened the gate, as the node's record has it.
func explainGateOpened(policy, run, by string, at time.Time) string {
	text := fmt.Sprintf("the gate of policy %s was opened by %s on %s", policy, by, message.Day(at))
	if run != "" {
		text += ", after run " + run
	}
	return text
}

// explainAdvice is what to look at where a rule was broken. Empty: the finding itself says it.
func explainAdvice(rule string) string {
	switch rule {
	case "FractionOfPeak", "FractionOfReached", "FleetDeviation", "NodeDeviation", "Min", "Max":
		return "A part is slow: compare its clock, power and temperature with those of the others. If they are alike, suspect the part itself " +
			"or its slot."
	case "Efficiency":
		return "Its devices or cores do less together than alone: look at the links between them, and at power and temperature while all of them work."
	case "Regression":
		return "A part is slower than it was: check first what has changed since it last passed. If nothing has, the part is wearing out."
	case "DataCheck":
		return "A part computes or stores wrong data: take the node out of service, and have the part replaced."
	case "FactEqual", "FactAtLeast", "FactUniform":
		return "A setting or version is not as it should be: correct it as the finding says."
	case "DevicesMissing":
		return "Devices are missing: look for them in the node's kernel log and with nvidia-smi, and reset or reseat them."
	case "Blame":
		return "The node is slow with most others: look at its network adapters, cables and switch ports."
	case "Missing":
		return "The program did not report what is expected: look at the log of its pod."
	}
	return ""
}

// explainRunAgainCompared says how the node is measured again together with others, at least as many as it takes. Where the run knows too few, the reader
// has to name them.
func explainRunAgainCompared(node string, others []string, least int, suite string, benchmarks, parameters []string) string {
	nodes := append([]string{node}, others...)
	for i := len(others) + 1; i <= least; i++ {
		nodes = append(nodes, fmt.Sprintf("OTHER-%d", i))
	}
	return fmt.Sprintf("Measure it again, beside %d others of its kind to compare it with: kubectl assay run --nodes %s %s --wait",
		least, strings.Join(nodes, ","), measuredBy(suite, benchmarks, parameters))
}

func explainOwnExpectations(run string, benchmarks []string) string {
	return fmt.Sprintf("Run %[1]s has expectations of its own for %[2]s, for which there is no flag: to refute what broke one of them, give them "+
		"to the new run "+
		"(--dry-run=client -o yaml prints it; kubectl get validationrun %[1]s -o yaml has them).", run, strings.Join(benchmarks, ", "))
}

// measuredBy are the flags that say what to measure by. What is not known is left to the reader.
func measuredBy(suite string, benchmarks, parameters []string) string {
	switch {
	case suite != "":
		return "--suite " + suite
	case len(benchmarks) > 0:
		text := "--benchmark " + strings.Join(benchmarks, ",")
		for _, p := range parameters {
			text += " --parameter " + shellWord(p)
		}
		return text
	}
	return "--suite SUITE"
}

// shellWord is a word for a command line that is copied into a shell: whoever made a run chose the values of its parameters.
func shellWord(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._=+-/,:@%", r)
	}
	if strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
