package message

import (
	"fmt"
	"strings"
)

// ExplainAdvice is what to look at where a rule was broken. Empty: the finding itself says it.
func ExplainAdvice(rule string) string {
	switch rule {
	case "FractionOfPeak", "FractionOfReached", "FleetDeviation", "NodeDeviation", "Min", "Max":
		return "A part is slow: compare its clock, power and temperature with those of the others. If they are alike, suspect the part itself or its slot."
	case "Efficiency":
		return "Its devices or cores do less together than alone: look at the links between them, and at power and temperature while all of them work."
	case "Regression":
		return "A part is slower than it was: look first at what has changed since it last passed. If that is nothing, the part wears out."
	case "DataCheck":
		return "A part computes or stores wrong data: take it out of work, and have it replaced."
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

// ExplainLinkAdvice is what to look at where a finding names the node and others.
func ExplainLinkAdvice() string {
	return "A link is slow while its ends are fine with others: look at the path between them, cable and switch ports first."
}

// ExplainMeasureAgain is for a benchmark that proved nothing.
func ExplainMeasureAgain(benchmark, reason string) string {
	return fmt.Sprintf("%s proved nothing (%s): remove the cause that its message names.", benchmark, reason)
}

// ExplainRunAgain says how the node is measured again, by benchmarks, or else by a suite. The command ends the line, to be copied.
func ExplainRunAgain(node, suite string, benchmarks []string) string {
	return fmt.Sprintf("Measure it again: kubectl assay run --nodes %s %s --wait", node, measuredBy(suite, benchmarks))
}

// ExplainRunAgainCompared says how the node is measured again together with others, at least as many as it takes. Where the run knows too few, the reader
// has to name them.
func ExplainRunAgainCompared(node string, others []string, least int, suite string, benchmarks []string) string {
	nodes := append([]string{node}, others...)
	for i := len(others) + 1; i <= least; i++ {
		nodes = append(nodes, fmt.Sprintf("OTHER-%d", i))
	}
	return fmt.Sprintf("Measure it again, beside %d others of its kind to compare it with: kubectl assay run --nodes %s %s --wait",
		least, strings.Join(nodes, ","), measuredBy(suite, benchmarks))
}

// ExplainTaintGoes says what measuring again is good for.
func ExplainTaintGoes() string { return "The taint goes when no rule is broken any more." }

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

// ExplainWait is for a node that a run has yet to measure.
func ExplainWait(run string) string {
	return fmt.Sprintf("Run %s is not over. Follow it: kubectl assay watch %s", run, run)
}
